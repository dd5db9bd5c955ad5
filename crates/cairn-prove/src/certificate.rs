//! The certificate of a proof: the states that the proof kept, as data.
//!
//! Nothing here needs to be trusted: `cairn-certificate` checks the result with code of its own.

use std::collections::BTreeMap;
use std::rc::Rc;

use cairn_exec::{Machine, Role};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Segment;
use cairn_memory::symbolic::{Initial, Object};
use cairn_portfolio::certificate::{
    CallRecord, Certificate, Claim, ContextRecord, FrameRecord, LoopRecord, Moment, OPERATORS, ObjectRecord,
    PlaceRecord, SegmentRecord, StateRecord, TermRecord,
};
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::FxHashMap;

use crate::calls::contexts::Context;
use crate::calls::frame_rule::Caller;
use crate::{Place, Prover, Proving, Stage, State};

impl Prover<'_> {
    /// Returns the certificate of a complete proof, given the states that it kept.
    pub fn certificate<'s>(
        &self,
        claim: Claim,
        reached: impl Iterator<Item = (&'s Place, &'s [State])>,
    ) -> Certificate {
        let mut writer = Writer::new(&self.lattice.machine);
        let mut places: Vec<(&Place, &[State])> = reached.filter(|(_, states)| !states.is_empty()).collect();
        places.sort_by_key(|((context, stage, stack), _)| (*context, *stage as u8, stack));
        let mut records = Vec::new();
        for ((context, stage, stack), states) in places {
            let moment = match stage {
                Stage::Running => Moment::Arrived,
                Stage::Resumed => Moment::Resumed,
                Stage::Returned => Moment::Returned,
                Stage::Calling | Stage::Entered => continue,
            };
            let stack = stack.iter().map(|&(function, block, inst)| (function.0, block.0, inst as u32)).collect();
            let states = states.iter().map(|state| writer.state(state)).collect();
            records.push(PlaceRecord { context: *context, moment, stack, states });
        }
        let contexts = self.contexts.iter().map(|context| self.context_record(context, &mut writer)).collect();
        let calls = self.call_records(&mut writer);
        Certificate { claim, terms: writer.records, contexts, places: records, calls, invariants: Vec::new() }
    }

    fn context_record(&self, context: &Context, writer: &mut Writer<'_, '_>) -> ContextRecord {
        let flow = self.flows.get(&context.region.function);
        let region = context.region.head.and_then(|head| {
            let inner = flow?.nested[head.index()].as_ref()?;
            let numbers = |flags: &[bool]| (0..flags.len() as u32).filter(|&i| flags[i as usize]).collect();
            Some(LoopRecord { blocks: numbers(&inner.inside), registers: numbers(&inner.registers) })
        });
        // Contents stay with the callers only where that holds for all of them.
        let mut callers = context.callers.iter();
        let mut untouched: Vec<u32> =
            callers.next().map(|caller| caller.unreached_globals.iter().map(|id| id.0).collect()).unwrap_or_default();
        for caller in callers {
            untouched.retain(|&id| caller.unreached_globals.contains(&ObjectId(id)));
        }
        untouched.sort_unstable();
        ContextRecord { region, entry: writer.state(&context.entry), untouched }
    }

    fn call_records(&self, writer: &mut Writer<'_, '_>) -> Vec<CallRecord> {
        let mut callers: Vec<(&Rc<Caller>, Vec<u32>)> = Vec::new();
        let mut known: FxHashMap<*const Caller, usize> = FxHashMap::default();
        for (index, context) in self.contexts.iter().enumerate() {
            for caller in &context.callers {
                if self.replaced.contains(&caller.origin()) {
                    continue;
                }
                let position = *known.entry(Rc::as_ptr(caller)).or_insert_with(|| {
                    callers.push((caller, Vec::new()));
                    callers.len() - 1
                });
                callers[position].1.push(index as u32 + 1);
            }
        }
        let mut records = Vec::new();
        for (caller, targets) in callers {
            let mut footprint: Vec<u32> = caller.footprint.iter().map(|id| id.0).collect();
            footprint.sort_unstable();
            records.push(CallRecord {
                calling: writer.state(&caller.calling),
                context: caller.context(),
                footprint,
                cut: caller.cut.iter().map(|&value| writer.term(value)).collect(),
                targets,
            });
        }
        records
    }
}

/// Collects the terms of states.
struct Writer<'m, 'p> {
    machine: &'m Machine<'p, Proving>,
    records: Vec<TermRecord>,
    known: FxHashMap<Term, u32>,
}

impl<'m, 'p> Writer<'m, 'p> {
    fn new(machine: &'m Machine<'p, Proving>) -> Self {
        let mut writer = Self { machine, records: Vec::new(), known: FxHashMap::default() };
        for (id, object) in machine.initial.iter() {
            writer.fix(id, object);
        }
        writer
    }

    /// Names the variable in the address of an object that exists from the start.
    fn fix(&mut self, id: ObjectId, object: &Object) {
        if let Some(&variable) = self.machine.terms.variables_of(object.base).first()
            && !self.known.contains_key(&variable)
        {
            self.known.insert(variable, self.records.len() as u32);
            self.records.push(TermRecord::Fixed(id.0));
        }
    }

    fn term(&mut self, term: Term) -> u32 {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.machine.terms.for_operands(top, |operand| {
                if !self.known.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                let record = self.record(top);
                self.known.insert(top, self.records.len() as u32);
                self.records.push(record);
                stack.pop();
            }
        }
        self.known[&term]
    }

    fn record(&self, term: Term) -> TermRecord {
        let terms = &self.machine.terms;
        let width = terms.width(term);
        let known = |term: Term| self.known[&term];
        match terms.node(term) {
            Node::Const(bits) => TermRecord::Constant(width, *bits),
            Node::Var(_) => match self.machine.label_of.get(&term) {
                Some(&(function, block)) => TermRecord::Label(function, block),
                None => TermRecord::Variable(width, self.machine.undefined.contains(&term)),
            },
            Node::Sum(sum) => {
                let parts = sum.monomials.iter().map(|&(part, factor)| (known(part), factor)).collect();
                TermRecord::Sum(width, sum.constant, parts)
            }
            Node::Binary(op, a, b) => {
                let number = OPERATORS.iter().position(|known| known == op).unwrap_or(OPERATORS.len());
                TermRecord::Binary(number as u8, known(*a), known(*b))
            }
            Node::Not(a) => TermRecord::Not(known(*a)),
            Node::SExt(a) => TermRecord::SignExtend(known(*a), width),
            Node::Extract(a, low) => TermRecord::Extract(known(*a), *low, width),
            Node::Ite(c, a, b) => TermRecord::Ite(known(*c), known(*a), known(*b)),
        }
    }

    fn state(&mut self, state: &State) -> StateRecord {
        let initial = &self.machine.initial;
        let statics = state.memory.iter().filter(|(_, object)| object.kind == ObjectKind::Static);
        statics.for_each(|(id, object)| self.fix(id, object));
        let frames = state.frames.iter().map(|frame| FrameRecord {
            at: (frame.function.0, frame.block.0, frame.inst as u32),
            regs: present(&frame.regs).map(|(index, value)| (index, self.term(value))).collect(),
            slots: present(&frame.slots).map(|(index, id)| (index, id.0)).collect(),
            owned: frame.owned.iter().map(|id| id.0).collect(),
            variadic: frame.variadic.map(|id| id.0),
            result: frame.result.map(|register| register.0),
        });
        let frames = frames.collect();
        let objects: Vec<(ObjectId, &Object)> = state
            .memory
            .iter()
            .filter(|(id, object)| object.kind.is_data() && !state.memory.shares(initial, *id))
            .collect();
        let objects = objects.into_iter().map(|(id, object)| self.object(id, object)).collect();
        let conditions: Vec<Term> = state.path.conditions().into_iter().rev().collect();
        let mut model = BTreeMap::new();
        for &condition in &conditions {
            for &variable in self.machine.terms.variables_of(condition).iter() {
                if let Some(&value) = state.path.model().get(&variable) {
                    model.insert(self.term(variable), value);
                }
            }
        }
        let conditions = conditions.into_iter().map(|condition| self.term(condition)).collect();
        let role = |role: Role| match role {
            Role::Root => 0,
            Role::Mentioned => 1,
            Role::Owed => 2,
        };
        let cut = state.extra.cut.iter().map(|carried| (self.term(carried.value), role(carried.role))).collect();
        StateRecord { frames, objects, conditions, model, cut }
    }

    fn object(&mut self, id: ObjectId, object: &Object) -> ObjectRecord {
        let kind = match object.kind {
            ObjectKind::Static => 0,
            ObjectKind::Stack => 1,
            ObjectKind::Heap => 2,
            ObjectKind::Alloca => 3,
            ObjectKind::Mapping => 4,
            ObjectKind::Variadic => 5,
            // Proofs do not follow these. The others hold no data and are as at the start.
            ObjectKind::Resource => u8::MAX,
            ObjectKind::Function | ObjectKind::Label | ObjectKind::Undefined | ObjectKind::Closure => u8::MAX,
        };
        let end = match object.end {
            End::Live => 0,
            End::Freed => 1,
            End::Reallocated => 2,
            End::OutOfScope => 3,
        };
        let is_live = object.end == End::Live;
        ObjectRecord {
            id: id.0,
            kind,
            end,
            base: self.term(object.base),
            size: self.term(object.size),
            constant: object.constant,
            pattern: object.pattern,
            initial: match object.initial() {
                Initial::Bytes(bytes) if is_live => Some(bytes.to_vec()),
                _ => None,
            },
            cells: object.cells().filter(|_| is_live).map(|(at, _, value)| (at, self.term(value))).collect(),
            indexed: object
                .indexed()
                .iter()
                .filter(|_| is_live)
                .map(|indexed| (self.term(indexed.at), self.term(indexed.term)))
                .collect(),
            segment: object.segment.as_ref().map(|segment| self.segment(segment)),
        }
    }

    fn segment(&mut self, segment: &Segment) -> SegmentRecord {
        let mut list = |terms: &[Term]| -> Vec<u32> { terms.iter().map(|&term| self.term(term)).collect() };
        let (locals, links) = (list(&segment.locals), list(&segment.links));
        SegmentRecord {
            node: segment.node.0,
            owned: segment.owned.iter().map(|id| id.0).collect(),
            locals,
            links,
            back_link: segment.back_link.map(|term| self.term(term)),
            fork: segment.fork.map(|term| self.term(term)),
            at: segment.at,
            next: self.term(segment.next),
            back: segment.back.map(|back| (self.term(back.prev), back.last.map(|last| self.term(last)))),
            min: segment.min,
            length: self.term(segment.length),
            sequences: segment
                .sequences
                .iter()
                .map(|s| (s.at, s.steps.iter().copied().collect(), self.term(s.before), self.term(s.last)))
                .collect(),
        }
    }
}

/// Returns the values that are present, with their positions.
fn present<T: Copy>(values: &[Option<T>]) -> impl Iterator<Item = (u32, T)> {
    values.iter().enumerate().filter_map(|(index, value)| Some((index as u32, (*value)?)))
}
