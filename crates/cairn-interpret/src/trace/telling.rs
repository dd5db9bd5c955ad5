//! An execution that follows a script: what happens at its scenes, and what the execution before remembers for it.

use cairn_memory::{ObjectKind, Pointer};

use crate::limits::{RECORDED_ENDS, RECORDED_LINKS};
use crate::run::machine::Machine;
use crate::trace::story::Scene;
use crate::trace::{Telling, TraceKind, TraceStep};

impl Machine<'_> {
    /// Returns whether the script has a scene at the next step.
    pub fn begins_scene(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.scene(self.steps + 1, None).is_some())
    }

    /// Ends the scene of the operation that was just executed: adds its assignment, and takes a picture.
    pub fn end_scene(&mut self) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let entry = recorder.log.entries.pop_back();
        let at = entry.as_ref().map_or(self.steps, |entry| entry.step);
        let Some(mut telling) = recorder.telling.take() else { return };
        recorder.telling = Some(Telling::default());
        self.recorder = Some(recorder);
        let of_scene = |scene: &&Scene| scene.at == at && scene.kind == TraceKind::Assignment;
        if let Some(scene) = telling.script.scenes.iter().find(of_scene)
            && let Some(entry) = &entry
            && let Some(step) = self.assignment(entry, self.code.ops.get(entry.position as usize).copied())
        {
            telling.steps.push(TraceStep { at, iterations: scene.iterations, ..step });
        }
        let picture = self.picture(&mut telling.album, telling.script.object);
        for step in telling.steps.iter_mut().rev().take_while(|step| step.picture.is_none()) {
            step.picture = Some(Box::new(picture.clone()));
        }
        while telling.script.scenes.get(telling.next).is_some_and(|scene| scene.at <= at) {
            telling.next += 1;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.telling = Some(telling);
        }
    }

    /// Records that objects lose a variable or an object that led to them.
    pub fn note_end(&mut self, led: Vec<u32>) {
        let at = self.steps;
        if let Some(recorder) = self.recorder.as_mut().filter(|recorder| recorder.is_logging() && !led.is_empty()) {
            if recorder.ends.len() >= RECORDED_ENDS {
                recorder.ends.pop_front();
            }
            recorder.ends.push_back((at, led));
        }
    }

    /// Returns the heap objects that the variables of the innermost call lead to, with the names of the variables.
    pub(super) fn led_by_frame(&self) -> Vec<(String, u32)> {
        let Some(frame) = self.frames.last() else { return Vec::new() };
        let Some(body) = self.program.functions[frame.function.index()].body.as_ref() else { return Vec::new() };
        let mut at = frame.base;
        let mut found = Vec::new();
        for register in &body.regs {
            if let (Some(name), Some(value)) = (&register.name, self.values.get(at))
                && value.object() != 0
                && self.memory.info(value.pointer().object, 1).is_some_and(|info| info.shape.kind == ObjectKind::Heap)
            {
                found.push((name.to_string(), value.object()));
            }
            at += if crate::translate::is_wide(register.ty) { 2 } else { 1 };
        }
        found
    }

    /// Keeps the contents of an object for pictures, before its life ends.
    pub fn bury(&mut self, pointer: Pointer) {
        if self.logs() {
            let links = self.memory.bytes_of(pointer.object).map(|bytes| bytes.links().to_vec()).unwrap_or_default();
            self.note_end(links.into_iter().filter(|&link| link != 0).take(RECORDED_LINKS).collect());
        }
        if let Some(telling) = self.recorder.as_mut().and_then(|recorder| recorder.telling.as_mut()) {
            telling.album.bury(&self.memory, pointer.object);
        }
    }
}
