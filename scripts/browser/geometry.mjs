// Measures drawings inside of the page. The functions are passed to the browser as text, so that none of them uses another one.

/** Returns what is wrong with the drawing of every step: overlapping boxes and texts, edges through nodes, nodes that move. */
export function drawingFaults() {
  const faults = [];
  const positions = new Map();
  const inset = (box, by) => ({ x: box.x + by, y: box.y + by, width: box.width - 2 * by, height: box.height - 2 * by });
  const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  const within = (a, b) =>
    a.x >= b.x - 1 && a.y >= b.y - 1 && a.x + a.width <= b.x + b.width + 1 && a.y + a.height <= b.y + b.height + 1;
  const attributes = (rect) => ({
    x: rect.x.baseVal.value,
    y: rect.y.baseVal.value,
    width: rect.width.baseVal.value,
    height: rect.height.baseVal.value,
  });
  for (const figure of document.querySelectorAll("#stage > figure.frame")) {
    const step = figure.dataset.step;
    const isHidden = figure.hidden;
    figure.hidden = false;
    for (const svg of figure.querySelectorAll("svg.heap")) {
      const nodes = [...svg.querySelectorAll("g.node")].map((group) => ({
        id: group.dataset.node,
        group,
        box: attributes(group.querySelector("rect.box")),
      }));
      for (const { id, box } of nodes) {
        const before = positions.get(id);
        if (before && Math.hypot(before.x - box.x, before.y - box.y) > 0.5) {
          faults.push(`step ${step}: node ${id} jumps from ${before.x},${before.y} to ${box.x},${box.y}`);
        }
        positions.set(id, box);
      }
      const view = svg.viewBox.baseVal;
      nodes.forEach((one, index) => {
        if (view.width > 0 && !within(one.box, view)) {
          faults.push(`step ${step}: node ${one.id} leaves the drawing`);
        }
        for (const other of nodes.slice(index + 1)) {
          if (meet(inset(one.box, 0.5), inset(other.box, 0.5))) {
            faults.push(`step ${step}: nodes ${one.id} and ${other.id} overlap`);
          }
        }
        for (const text of one.group.querySelectorAll("text")) {
          const box = text.getBBox();
          if (box.width > 0 && (box.x < one.box.x - 1 || box.x + box.width > one.box.x + one.box.width + 1)) {
            faults.push(`step ${step}: text '${text.textContent}' leaves node ${one.id}`);
          }
        }
      });
      const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() !== "");
      const boxes = texts.map((text) => {
        const shift = text.getCTM().inverse().multiply(svg.getCTM()).inverse();
        const box = text.getBBox();
        return inset({ x: box.x + shift.e, y: box.y + shift.f, width: box.width, height: box.height }, 1.5);
      });
      boxes.forEach((box, index) => {
        for (let other = index + 1; other < boxes.length; other++) {
          if (box.width > 0 && boxes[other].width > 0 && meet(box, boxes[other])) {
            faults.push(`step ${step}: texts '${texts[index].textContent}' and '${texts[other].textContent}' overlap`);
          }
        }
      });
      for (const edge of svg.querySelectorAll("path.edge")) {
        const { from, to } = edge.dataset;
        const length = edge.getTotalLength();
        const crossed = new Set();
        for (let at = 0; at <= length; at += 2) {
          const point = edge.getPointAtLength(at);
          for (const { id, box } of nodes) {
            const inner = inset(box, 2);
            const isIn =
              point.x > inner.x && point.x < inner.x + inner.width && point.y > inner.y && point.y < inner.y + inner.height;
            if (isIn && id !== from && id !== to) {
              crossed.add(id);
            }
          }
        }
        for (const id of crossed) {
          faults.push(`step ${step}: the edge from ${from} to ${to} crosses node ${id}`);
        }
      }
    }
    figure.hidden = isHidden;
  }
  return [...new Set(faults)];
}

/** Returns what is wrong with the layout of the page: horizontal scrolling, and visible texts that overlap. */
export function layoutFaults() {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth + 1) {
    faults.push(`the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth} px`);
  }
  const pieces = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const parent = text.parentElement;
    if (text.data.trim() === "" || !parent || parent.closest("svg, script, style, [hidden], option, select, .visually-hidden")) {
      continue;
    }
    if (!parent.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) {
      continue;
    }
    const style = getComputedStyle(parent);
    if (style.position === "absolute" && (parent.offsetWidth <= 1 || parent.offsetHeight <= 1)) {
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      let clipped = { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
      for (let up = parent; up; up = up.parentElement) {
        if (getComputedStyle(up).overflow !== "visible") {
          const frame = up.getBoundingClientRect();
          clipped = {
            left: Math.max(clipped.left, frame.left),
            top: Math.max(clipped.top, frame.top),
            right: Math.min(clipped.right, frame.right),
            bottom: Math.min(clipped.bottom, frame.bottom),
          };
        }
      }
      if (clipped.right - clipped.left > 2 && clipped.bottom - clipped.top > 4) {
        let card = parent;
        while (card && getComputedStyle(card).borderRightWidth === "0px") {
          card = card.parentElement;
        }
        if (card && clipped.right > card.getBoundingClientRect().right + 1) {
          faults.push(`text '${text.data.trim().slice(0, 40)}' leaves its frame`);
        }
        pieces.push({ ...clipped, text: text.data.trim().slice(0, 40), isFixed: !!parent.closest("header, nav, .sticky") });
      }
      if (pieces.length > 600) {
        break;
      }
    }
  }
  for (let i = 0; i < pieces.length; i++) {
    for (let k = i + 1; k < pieces.length; k++) {
      const [a, b] = [pieces[i], pieces[k]];
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 2 && height > 4 && a.isFixed === b.isFixed) {
        faults.push(`texts '${a.text}' and '${b.text}' overlap`);
      }
    }
  }
  return [...new Set(faults)].slice(0, 10);
}

/** Returns the texts that are hard to read: a contrast with their background below 4.5, or 3 for large ones. */
export function contrastFaults() {
  const parse = (colour) => {
    const canvas = (globalThis.cairnCanvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }));
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((value, index) => (index === 3 ? value / 255 : value));
  };
  const light = (c) => {
    const [r, g, b] = c.map((value) => {
      const s = value / 255;
      return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const colour = parse(getComputedStyle(up).backgroundColor);
      if (colour[3] > 0.9) {
        return colour;
      }
    }
    return matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark")
      ? [18, 18, 18, 1]
      : [255, 255, 255, 1];
  };
  const faults = new Map();
  const compare = (what, front, back, size) => {
    const [a, b] = [light(front), light(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (size >= 24 ? 3 : 4.5)) {
      faults.set(what, `${what}: contrast ${ratio.toFixed(2)}`);
    }
  };
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== "");
    if (!own || element.closest("[hidden], script, style, option") || !element.checkVisibility()) {
      continue;
    }
    const style = getComputedStyle(element);
    const name = `${element.tagName.toLowerCase()}${element.className.baseVal === undefined && element.className ? `.${element.className}` : ""}`;
    if (element.closest("svg")) {
      const box = element.closest("g.node, g.chip")?.querySelector("rect");
      const fill = box ? parse(getComputedStyle(box).fill) : undefined;
      const back = fill && fill[3] > 0.9 ? fill : background(element.closest("svg"));
      const kind = element.closest("g")?.getAttribute("class") ?? "";
      compare(`svg ${kind} ${element.getAttribute("class") ?? name}`, parse(style.fill), back, parseFloat(style.fontSize));
    } else if (!element.matches(":disabled")) {
      compare(name, parse(style.color), background(element), parseFloat(style.fontSize));
    }
    if (faults.size >= 10) {
      break;
    }
  }
  return [...faults.values()];
}

/** Returns what is wrong with the room that the drawing of the shown step has. */
export function stageFaults() {
  const faults = [];
  const stage = document.querySelector("#stage").getBoundingClientRect();
  const page = document.querySelector("main").getBoundingClientRect();
  if (stage.width < page.width * 0.45) {
    faults.push(`the drawing has ${Math.round(stage.width)} px of ${Math.round(page.width)} px`);
  }
  if (stage.height > innerHeight) {
    faults.push(`the drawing is ${Math.round(stage.height)} px high in a window of ${innerHeight} px`);
  }
  const frame = document.querySelector("#stage > figure.frame:not([hidden])");
  const marked = [".lost", ".freed", ".changed", ""].map((kind) => frame.querySelector(`g.node${kind} rect.box`)).find((e) => e);
  const scroller = [...frame.querySelectorAll("*"), frame].find((e) => e.scrollWidth > e.clientWidth + 1) ?? frame;
  const box = marked?.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  if (box && (box.right < view.left + 10 || box.left > view.right - 10)) {
    faults.push("the node of the fault is scrolled out of the drawing");
  }
  return faults;
}
