//! Compound literals, which become hidden variables: static at file scope, automatic in functions.

use cairn_ir::ctype::{QualType, TypeId};
use cairn_ir::source::Span;

use crate::ast::{InitList, TypeName};
use crate::check::Checker;
use crate::check::expressions::expr::Operand;
use crate::check::initialisers::initialise::{Initial, Shape};
use crate::check::initialisers::parts::Parts;
use crate::hir::{LocalInit, Place, PlaceKind, StaticInit, SymbolKind};

impl Checker<'_> {
    /// Checks `(type){ … }`.
    pub(crate) fn compound_literal(&mut self, name: &TypeName, list: &InitList, span: Span) -> Operand {
        let ty = self.type_name_unevaluated(name);
        if self.is_error(ty.ty) {
            return Operand::Value(self.error_expr(span));
        }
        if self.is_function(ty.ty) || self.is_variable_size(ty.ty) || ty.ty == TypeId::VOID {
            let text = format!("compound literal has invalid type '{}'", self.print_qual(ty));
            self.error(span, text);
            return Operand::Value(self.error_expr(span));
        }
        if self.functions.is_empty() {
            let (completed, init) = self.static_literal_init(ty, list, span);
            let ty = QualType { ty: completed, quals: ty.quals };
            self.counts.compound_literals += 1;
            let hidden = format!(".literal.{}", self.counts.compound_literals);
            let hidden = self.interner.intern(&hidden);
            let global = self.new_global(hidden, ty, span);
            let entry = &mut self.globals[global.0 as usize];
            entry.internal = true;
            entry.definition = crate::check::Definition::Defined;
            entry.kind = Some(SymbolKind::Object { init, thread_local: false });
            let symbol = self.symbol_of(global);
            return Operand::Place(Place { kind: PlaceKind::Symbol(symbol), ty, span });
        }
        let (completed, initial) = self.initialise_list(ty.ty, list, false, span);
        let init = match initial {
            Initial::Error => return Operand::Value(self.error_expr(span)),
            Initial::Value(value) => LocalInit::Value(value),
            Initial::Parts(parts) => {
                let size = self.size_of(completed).unwrap_or(0);
                LocalInit::Aggregate(self.aggregate(parts, completed, size))
            }
        };
        let ty = QualType { ty: completed, quals: ty.quals };
        let local = self.new_local(None, ty, 0, span);
        Operand::Place(Place { kind: PlaceKind::CompoundLiteral(local, Box::new(init)), ty, span })
    }

    fn initialise_list(&mut self, ty: TypeId, list: &InitList, is_static: bool, span: Span) -> (TypeId, Initial) {
        if self.is_incomplete(ty) && !self.is_array(ty) && !self.is_forward_enum(ty) {
            let text = format!("variable has incomplete type '{}'", self.print(ty));
            self.error(span, text);
            return (TypeId::ERROR, Initial::Error);
        }
        if matches!(self.shape(ty), Shape::Scalar) {
            return match self.scalar_list(ty, list) {
                Some(value) => (ty, Initial::Value(value)),
                None => (ty, Initial::Error),
            };
        }
        let mut parts = Parts { is_static, ..Parts::default() };
        let count = self.braced(ty, 0, list, &mut parts);
        (self.complete_array(ty, count), Initial::Parts(parts))
    }

    fn static_literal_init(&mut self, ty: QualType, list: &InitList, span: Span) -> (TypeId, Option<StaticInit>) {
        let (completed, initial) = self.initialise_list(ty.ty, list, true, span);
        (completed, self.static_init(completed, initial, span))
    }
}
