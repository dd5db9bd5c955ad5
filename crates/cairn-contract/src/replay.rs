//! Replay: the interpreter builds the input of a scenario, calls the function, and answers its unknown calls.
//!
//! Only a fault that the interpreter runs into is reported.

use cairn_interpret::session::{Argument, Called, Session};
use cairn_interpret::trace::story::{Script, Story};
use cairn_interpret::{Ending, Fault, Host, Leftovers, Options};
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, FuncId, Loc, Program, Ty};
use cairn_memory::store::{Moment, Request};
use cairn_memory::{Memory, ObjectId, ObjectKind, Pointer};
use cairn_portfolio::verdict::{Property, Violation};

use crate::descriptors;
use crate::limits::{REPLAY_DEPTH, REPLAY_MEMORY, REPLAY_STEPS};
use crate::mode::Candidate;
use crate::scenario::{Answer, Contents, Link, Scenario};

/// Replays candidates of the functions of a program.
pub(crate) struct Replayer<'p> {
    program: &'p Program,
    session: Session<'p>,
}

impl<'p> Replayer<'p> {
    /// Creates a replayer for a program whose last function is an unknown one.
    pub fn new(program: &'p Program) -> Option<Self> {
        let scenario = Scenario::default();
        let mut host = Answering::new(&scenario, Addresses::default());
        let options = Options { undefined_names_hold_anything: true, ..Options::default() };
        Some(Self { program, session: Session::new(program, &options, &mut host).ok()? })
    }

    /// Replays a candidate, and returns the violations of its kind that the interpreter shows.
    pub fn confirm(&self, function: FuncId, candidate: &Candidate) -> Vec<Violation> {
        let Some(called) = self.call(function, candidate, None) else { return Vec::new() };
        let found = self.confirmed(candidate, called);
        found.into_iter().map(|fault| self.told(function, candidate, fault)).collect()
    }

    /// Returns the violation with its trace, and tells the most important steps with names and pictures.
    fn told(&self, function: FuncId, candidate: &Candidate, fault: Fault) -> Violation {
        let mut violation = Violation {
            property: Property::of(fault.kind),
            fault,
            inputs: Vec::new(),
            asked: Vec::new(),
            strewn: Vec::new(),
            end: Vec::new(),
            trace: Vec::new(),
            story: Story::default(),
        };
        let mut recording = Recording::default();
        if violation.fault.kind.is_of_the_end() && candidate.descriptor.is_none() {
            recording.lost_from = Some(violation.fault.stack.clone());
        }
        let Some((called, _)) = self.call(function, candidate, Some(recording.clone())) else { return violation };
        violation.trace = called.trace.steps;
        recording.script = Some(called.trace.script);
        let Some((mut called, released)) = self.call(function, candidate, Some(recording)) else { return violation };
        let (steps, end) = (std::mem::take(&mut called.trace.steps), called.trace.end.take());
        let known = &violation.fault;
        let told = self.confirmed(candidate, (called, released));
        if let Some(fault) = told.into_iter().find(|fault| (fault.kind, &fault.stack) == (known.kind, &known.stack)) {
            violation.fault = fault;
            violation.story = Story { steps, end };
        }
        violation
    }

    /// Returns the faults of an execution that a candidate claims.
    fn confirmed(&self, candidate: &Candidate, (called, released): (Called, Vec<u64>)) -> Vec<Fault> {
        match called.ending {
            Ending::Fault(fault) if candidate.kind != CheckKind::Leak => {
                let same_kind = fault.kind == candidate.kind
                    || (Property::of(fault.kind).is_some() && Property::of(fault.kind) == Property::of(candidate.kind));
                let places = (self.user_place(&fault.stack), self.user_place(&candidate.stack));
                // The interpreter stops where an uninitialised value is read, the search where it is used.
                let same_place = match (fault.kind, places) {
                    (CheckKind::Uninitialised, (Some(read), Some(used))) => read.function == used.function,
                    (_, (one, other)) => one == other,
                };
                if same_kind && same_place { vec![*fault] } else { Vec::new() }
            }
            Ending::Exited(_) if candidate.kind == CheckKind::Leak => match candidate.descriptor {
                None => called.leaks,
                Some(number) if released.contains(&number) => Vec::new(),
                Some(number) if called.number == Some(number) => Vec::new(),
                Some(number) if descriptors::is_held(&called.memory, number) => Vec::new(),
                // The first location is the end of the function.
                Some(_) => vec![descriptors::fault(&candidate.stack[1..])],
            },
            _ => Vec::new(),
        }
    }

    /// Returns the innermost location in the user's code.
    fn user_place(&self, stack: &[StackPlace]) -> Option<StackPlace> {
        let is_user =
            |p: &&StackPlace| self.program.functions.get(p.function.index()).is_some_and(|f| f.origin.is_of_user());
        stack.iter().find(is_user).copied()
    }

    /// Calls a function on an input.
    pub fn call_scenario(&self, function: FuncId, scenario: &Scenario) -> Option<ScenarioCall> {
        let replay = Replay { scenario, keeps_leftovers: false, recording: None };
        let (called, _, objects) = self.execute(function, &replay)?;
        Some(ScenarioCall { called, objects })
    }

    fn call(
        &self,
        function: FuncId,
        candidate: &Candidate,
        recording: Option<Recording>,
    ) -> Option<(Called, Vec<u64>)> {
        let keeps_leftovers = candidate.kind != CheckKind::Uninitialised;
        let replay = Replay { scenario: &candidate.scenario, keeps_leftovers, recording };
        let (called, released, objects) = self.execute(function, &replay)?;
        // The objects of the input are as large as the path needs, which says nothing about those of callers.
        let is_given = |id: ObjectId| objects.iter().any(|object| object.object == id);
        match &called.ending {
            Ending::Fault(fault)
                if fault.kind == CheckKind::OutOfBounds && fault.access.is_some_and(|(id, _)| is_given(id)) =>
            {
                None
            }
            _ => Some((called, released)),
        }
    }

    fn execute(&self, function: FuncId, replay: &Replay<'_>) -> Option<(Called, Vec<u64>, Vec<Pointer>)> {
        let Replay { scenario, keeps_leftovers, ref recording } = *replay;
        let Recording { script, lost_from } = recording.clone().unwrap_or_default();
        let mut memory = self.session.memory();
        let addresses = self.build(scenario, &mut memory)?;
        let arguments: Vec<Argument> =
            scenario.arguments.iter().map(|argument| Argument::Pointer(addresses.pointer(argument))).collect();
        let mut leftovers = Leftovers::default();
        for (life, at, bytes) in &scenario.leftovers {
            leftovers.entry(*life).or_default().push((*at, bytes.clone()));
        }
        let options = Options {
            max_steps: Some(REPLAY_STEPS),
            max_memory: REPLAY_MEMORY,
            max_depth: REPLAY_DEPTH,
            assert_faults: false,
            error_faults: false,
            undefined_names_hold_anything: true,
            leftovers: keeps_leftovers.then_some(leftovers),
            trace: recording.is_some(),
            script,
            lost_from,
            ..Options::default()
        };
        let objects = addresses.objects.clone();
        let mut host = Answering::new(scenario, addresses);
        let called = self.session.call(function, memory, &arguments, &options, &mut host)?;
        Some((called, host.released, objects))
    }

    /// Builds the objects of a scenario.
    fn build(&self, scenario: &Scenario, memory: &mut Memory) -> Option<Addresses> {
        let mut addresses = Addresses {
            objects: Vec::new(),
            globals: self.session.globals().to_vec(),
            code: self.session.functions().last().copied(),
            word: (self.program.target.pointer_bits() / 8) as usize,
        };
        for object in &scenario.objects {
            let (kind, moment) = (ObjectKind::Heap, Moment::default());
            let request = Request { kind, size: object.size, align: 16, zeroed: true, site: (0, 0), moment };
            addresses.objects.push(memory.allocate(request).ok()?);
        }
        for (index, object) in scenario.objects.iter().enumerate() {
            for (at, contents) in &object.cells {
                addresses.store(memory, addresses.objects[index], *at, contents)?;
            }
        }
        for (global, at, contents) in &scenario.globals {
            addresses.store(memory, *addresses.globals.get(*global)?, *at, contents)?;
        }
        Some(addresses)
    }
}

/// An execution on an input.
struct Replay<'s> {
    scenario: &'s Scenario,
    /// Whether uninitialised bytes have the values of the scenario, so that reading them is no fault.
    keeps_leftovers: bool,
    /// How the steps are recorded, if they are.
    recording: Option<Recording>,
}

/// How the steps of an execution are recorded.
#[derive(Clone, Debug, Default)]
struct Recording {
    script: Option<Script>,
    /// The allocation of the objects that the trace is about.
    lost_from: Option<Vec<StackPlace>>,
}

/// A call on an input.
pub(crate) struct ScenarioCall {
    /// The outcome.
    pub called: Called,
    /// The objects of the input.
    pub objects: Vec<Pointer>,
}

/// The addresses of the objects of a scenario.
#[derive(Clone, Debug, Default)]
struct Addresses {
    objects: Vec<Pointer>,
    globals: Vec<Pointer>,
    code: Option<Pointer>,
    word: usize,
}

impl Addresses {
    fn pointer(&self, contents: &Contents) -> Pointer {
        match contents {
            Contents::Bytes(bytes) => {
                let bits = bytes.iter().rev().skip(bytes.len().saturating_sub(8));
                Pointer::without_object(bits.fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
            }
            Contents::Address(index) => self.objects.get(*index).copied().unwrap_or(Pointer::NULL),
            Contents::Global(index) => self.globals.get(*index).copied().unwrap_or(Pointer::NULL),
            Contents::Code => self.code.unwrap_or(Pointer::NULL),
        }
    }

    /// Stores contents at an offset of an object.
    fn store(&self, memory: &mut Memory, base: Pointer, at: u64, contents: &Contents) -> Option<()> {
        match contents {
            Contents::Bytes(bytes) => {
                let (to, start) = memory.write(base.plus(at), bytes.len() as u64).ok()?;
                to.write(start, bytes);
                Some(())
            }
            _ if self.word == 4 => memory.store_pointer::<4>(base, at as i64, self.pointer(contents)),
            _ => memory.store_pointer::<8>(base, at as i64, self.pointer(contents)),
        }
    }
}

/// A host that follows a scenario. After its end, values are 0 and allocations succeed.
struct Answering<'s> {
    values: std::slice::Iter<'s, u128>,
    answers: std::slice::Iter<'s, Answer>,
    allocations: &'s [bool],
    addresses: Addresses,
    taken: Vec<ObjectId>,
    released: Vec<u64>,
}

impl<'s> Answering<'s> {
    fn new(scenario: &'s Scenario, addresses: Addresses) -> Self {
        Self {
            values: scenario.values.iter(),
            answers: scenario.answers.iter(),
            allocations: &scenario.allocations,
            addresses,
            taken: Vec::new(),
            released: Vec::new(),
        }
    }

    /// Follows pointers from an argument and returns the start of the last object.
    fn follow(&self, memory: &Memory, argument: Pointer, chain: &[Link]) -> Option<Pointer> {
        let start = |pointer: Pointer| {
            let info = memory.info(pointer.object, pointer.life)?;
            Some(Pointer { address: info.shape.base, ..pointer })
        };
        let mut at = start(argument)?;
        for &Link { at: offset, .. } in chain {
            let next = match self.addresses.word {
                4 => memory.load_pointer::<4>(at, offset as i64)?,
                _ => memory.load_pointer::<8>(at, offset as i64)?,
            };
            at = start(next.0)?;
        }
        Some(at)
    }

    /// Takes note that a function may have kept or freed an object and all that it leads to.
    fn take(&mut self, memory: &Memory, pointer: Pointer) {
        let mut waiting = vec![pointer.object];
        while let Some(id) = waiting.pop() {
            if !id.is_some() || self.taken.contains(&id) {
                continue;
            }
            self.taken.push(id);
            let Some(bytes) = memory.bytes_of(id) else { continue };
            let words = (0..bytes.len() as u64 / self.addresses.word as u64).map(|i| i * self.addresses.word as u64);
            waiting.extend(words.filter_map(|at| bytes.link(at)).map(ObjectId));
        }
    }
}

impl Host for Answering<'_> {
    fn write(&mut self, _: i32, _: &[u8]) {}

    fn read_byte(&mut self) -> Option<u8> {
        u8::try_from(self.nondet(Ty::I32, Loc::NONE)? as u32).ok()
    }

    fn nondet(&mut self, _: Ty, _: Loc) -> Option<u128> {
        Some(self.values.next().copied().unwrap_or(0))
    }

    fn answer(&mut self, arguments: &[Pointer], memory: &mut Memory, moment: Moment) -> Option<Pointer> {
        let none = Answer::default();
        let answer = self.answers.next().unwrap_or(&none);
        self.released.extend(&answer.releases);
        for &argument in &answer.taken {
            if let Some(&pointer) = arguments.get(argument) {
                self.take(memory, pointer);
            }
        }
        let mut result = answer.result.as_ref().map_or(Pointer::NULL, |result| self.addresses.pointer(result));
        if let Some(size) = answer.makes {
            let kind = ObjectKind::Heap;
            let request = Request { kind, size, align: 16, zeroed: true, site: (0, 0), moment };
            result = memory.allocate(request).unwrap_or(Pointer::NULL);
        }
        for write in &answer.writes {
            let start = write.argument.map_or(Some(&result), |argument| arguments.get(argument));
            let object = start.and_then(|&p| self.follow(memory, p, &write.chain));
            if let Some(object) = object {
                self.addresses.store(memory, object, write.at, &write.contents);
            }
        }
        Some(result)
    }

    fn taken(&self) -> Vec<ObjectId> {
        self.taken.clone()
    }

    fn allocation_fails(&mut self, count: u64) -> bool {
        let index = usize::try_from(count).unwrap_or(usize::MAX).wrapping_sub(1);
        self.allocations.get(index).is_some_and(|&succeeds| !succeeds)
    }

    fn time(&mut self) -> i64 {
        0
    }

    fn clock(&mut self) -> i64 {
        0
    }
}
