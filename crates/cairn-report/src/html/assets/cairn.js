// The behaviour of cairn's HTML reports: stepping through timelines, and filtering the overview. Pages work without it.
"use strict";

(function () {
  const byId = (id) => document.getElementById(id);

  function timeline(root) {
    const frames = Array.from(document.querySelectorAll("#stage .frame"));
    const codes = Array.from(document.querySelectorAll("#code .excerpt"));
    const links = Array.from(document.querySelectorAll("#steps .step a"));
    const slider = byId("slider");
    const count = Number(root.dataset.steps);
    let current = 0;

    function show(step, moves) {
      const wanted = Math.min(Math.max(step, 1), count);
      if (wanted === current) return;
      // Drawings share one stage: what was scrolled into view stays there.
      const before = frames.find((frame) => Number(frame.dataset.step) === current);
      const left = before && canvas(before) ? canvas(before).scrollLeft : null;
      current = wanted;
      root.dataset.step = String(current);
      for (const part of frames.concat(codes)) part.hidden = Number(part.dataset.step) !== current;
      const frame = frames.find((part) => Number(part.dataset.step) === current);
      if (frame && canvas(frame)) bringIntoView(canvas(frame), left);
      for (const code of codes) {
        const list = code.querySelector(".code");
        const line = code.hidden ? null : code.querySelector(".current");
        if (line) list.scrollLeft = 0;
      }
      for (const link of links) {
        const isCurrent = Number(link.parentElement.dataset.step) === current;
        if (isCurrent) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
      }
      slider.value = String(current);
      announce("step " + current + " of " + count, frame ? frame.querySelector("figcaption") : null);
      for (const id of ["first", "previous"]) byId(id).disabled = current === 1;
      for (const id of ["next", "last"]) byId(id).disabled = current === count;
      if (moves) history.replaceState(null, "", "#step-" + current);
    }

    // Shows the number of the step. Screen readers also hear what happens in it.
    function announce(number, caption) {
      const what = caption ? caption.textContent.replace(/^\d+\. /, ": ") : "";
      const spoken = document.createElement("span");
      spoken.className = "visually-hidden";
      spoken.textContent = what;
      byId("position").replaceChildren(number, spoken);
      slider.setAttribute("aria-valuetext", number + what);
    }

    function canvas(frame) {
      return frame.querySelector(".canvas");
    }

    // Shows the part of a drawing that has changed, or else the object that the finding is about.
    function bringIntoView(frame, left) {
      if (left !== null) frame.scrollLeft = left;
      const svg = frame.querySelector("svg");
      const wanted = frame.querySelector(".node.changed, .node.new, .chip.changed") || frame.querySelector(".node.focus");
      if (!svg || !wanted) return;
      const box = wanted.getBBox();
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const centre = (start, size, at, length) => {
        const [first, last] = [start * scale, (start + size) * scale];
        return first < at || last > at + length ? (first + last - length) / 2 : at;
      };
      frame.scrollLeft = centre(box.x, box.width, frame.scrollLeft, frame.clientWidth);
      frame.scrollTop = centre(box.y, box.height, frame.scrollTop, frame.clientHeight);
    }

    function fromAddress() {
      const match = /^#step-(\d+)$/.exec(location.hash);
      return match ? Number(match[1]) : null;
    }

    for (const link of links) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        show(Number(link.parentElement.dataset.step), true);
      });
    }
    slider.addEventListener("input", () => show(Number(slider.value), true));
    byId("first").addEventListener("click", () => show(1, true));
    byId("previous").addEventListener("click", () => show(current - 1, true));
    byId("next").addEventListener("click", () => show(current + 1, true));
    byId("last").addEventListener("click", () => show(count, true));
    window.addEventListener("hashchange", () => {
      const step = fromAddress();
      if (step !== null) show(step, false);
    });
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const step = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 1, End: count }[event.key];
      // The slider handles its own keys, with the same effect.
      if (step === undefined || event.target === slider) return;
      event.preventDefault();
      show(step, true);
    });
    show(fromAddress() || count, false);
  }

  function overview() {
    const search = byId("search");
    const selects = ["check", "file", "state"].map((name) => [name, byId("filter-" + name)]);
    const findings = Array.from(document.querySelectorAll("#findings > li"));
    const rows = Array.from(document.querySelectorAll("#files tbody tr, #functions tbody tr"));
    // The texts are collected at the first search, so that a long page opens at once.
    let texts = null;
    const textOf = (item) => {
      if (texts === null) texts = new Map(findings.concat(rows).map((each) => [each, each.textContent.toLowerCase()]));
      return texts.get(item);
    };

    function filter() {
      const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
      const matches = (item) => words.every((word) => textOf(item).includes(word));
      let shown = 0;
      for (const finding of findings) {
        const fits = selects.every(([name, select]) =>
          !select || select.value === "all" || finding.dataset[name] === select.value);
        finding.hidden = !(fits && matches(finding));
        if (!finding.hidden) shown += 1;
      }
      for (const row of rows) row.hidden = !matches(row);
      const word = findings.length === 1 ? " finding" : " findings";
      byId("shown").textContent = (shown === findings.length ? "" : shown + " of ") + findings.length + word;
    }

    search.addEventListener("input", filter);
    for (const [, select] of selects) if (select) select.addEventListener("change", filter);
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && event.target !== search) {
        event.preventDefault();
        search.focus();
      }
    });
    // A browser may have kept what was chosen before.
    if (search.value !== "" || selects.some(([, select]) => select && select.value !== "all")) filter();
  }

  const root = byId("timeline");
  if (root) timeline(root);
  if (byId("search")) overview();
  document.body.dataset.ready = "true";
})();
