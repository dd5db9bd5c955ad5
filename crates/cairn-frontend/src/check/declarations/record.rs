//! Structs, unions and enumerations: declarations and member look-up.

use cairn_ir::ctype::{ArrayLen, Enum, EnumId, Field, IntKind, QualType, RecordId, Type, TypeId};
use cairn_ir::layout::{self, Target, int_bits, int_signed};
use cairn_ir::source::Span;

use crate::ast::{DeclSpecs, EnumSpec, FieldDeclarator, Member, RecordSpec, TypeSpec};
use crate::check::Checker;
use crate::check::constants::integer;
use crate::check::declarations::scope::{Entity, Tag};
use crate::check::declarations::specifier::{Attributes, Specified};
use crate::symbol::Symbol;

impl Checker<'_> {
    pub(crate) fn record_specifier(&mut self, spec: &RecordSpec, alone: bool) -> TypeId {
        let id = match (spec.tag, &spec.members) {
            (Some(tag), members) => match self.tagged_record(spec, tag, members.is_some() || alone) {
                Some(id) => id,
                None => return TypeId::ERROR,
            },
            (None, _) => self.new_record(None, spec.union),
        };
        if let Some(members) = &spec.members {
            if self.types.record(id).complete {
                let text = format!("redefinition of '{}'", spec.tag.map_or("", |t| self.interner.name(t)));
                let at = self.record_spans.get(&id).copied().unwrap_or(spec.span);
                self.error_with_note(spec.span, text, at, "previous definition is here");
                // Check the members anyway, as those of another record.
                let other = self.new_record(None, spec.union);
                self.define_record(other, spec, members);
                return self.types.intern(Type::Record(other));
            }
            self.define_record(id, spec, members);
        }
        self.types.intern(Type::Record(id))
    }

    fn tagged_record(&mut self, spec: &RecordSpec, tag: Symbol, here: bool) -> Option<RecordId> {
        let known = if here { self.scopes.lookup_tag_here(tag) } else { self.scopes.lookup_tag(tag) };
        if let Some(binding) = known {
            let at = binding.span;
            match binding.value {
                Tag::Record(id) if self.types.record(id).union == spec.union => return Some(id),
                _ => {
                    let text =
                        format!("use of '{}' with tag type that does not match previous declaration", self.name(tag));
                    self.error_with_note(spec.span, text, at, "previous use is here");
                    return None;
                }
            }
        }
        let id = self.new_record(Some(self.interner.name(tag).into()), spec.union);
        self.scopes.bind_tag(tag, Tag::Record(id), spec.span);
        Some(id)
    }

    fn define_record(&mut self, id: RecordId, spec: &RecordSpec, members: &[Member]) {
        let mut attributes = Attributes::default();
        self.attributes(&spec.attributes, &mut attributes);
        let mut fields: Vec<Field> = Vec::new();
        for member in members {
            match member {
                Member::StaticAssert(assertion) => self.static_assert(assertion),
                Member::Fields(specs, declarators) => {
                    let specified = self.specifiers(specs, declarators.is_empty());
                    let mut common = Attributes::default();
                    self.attributes(&specs.attributes, &mut common);
                    self.alignas(&specs.alignas, &mut common);
                    if declarators.is_empty() {
                        self.anonymous_field(id, specs, specified, &common, attributes.packed, &mut fields);
                    }
                    for declarator in declarators {
                        self.field(id, specified, &common, declarator, attributes.packed, &mut fields);
                    }
                }
            }
        }
        self.check_flexible(&fields, spec);
        let record = &mut self.types.records[id.0 as usize];
        record.fields = fields;
        record.complete = true;
        record.packed = attributes.packed;
        record.pragma_pack = spec.pragma_pack;
        record.min_align = attributes.align;
        record.transparent = attributes.transparent;
        layout::layout_record(self.types, self.target, id);
        self.record_spans.insert(id, spec.span);
        // A larger object could not be addressed.
        let limit = match self.target {
            Target::Ilp32 => 1 << 31,
            Target::Lp64 => 1 << 61,
        };
        if self.types.record(id).size >= limit {
            self.error(spec.span, "type is too large");
        }
    }

    fn anonymous_field(
        &mut self,
        id: RecordId,
        specs: &DeclSpecs,
        specified: Specified,
        common: &Attributes,
        packed: bool,
        fields: &mut Vec<Field>,
    ) {
        let index = fields.len() as u32;
        let inner = self.record_of(specified.ty.ty);
        let untagged = match (&specs.ty, inner) {
            (TypeSpec::Record(spec), _) => spec.tag.is_none() && spec.members.is_some(),
            // Accept a type name for an anonymous struct (-fms-extensions), which the Linux kernel uses.
            (_, Some(_)) => true,
            _ => false,
        };
        let (Some(inner), true) = (inner, untagged) else {
            if !self.is_error(specified.ty.ty) {
                self.warning(specs.span, "declaration does not declare anything");
            }
            return;
        };
        if !self.types.record(inner).complete {
            self.error(specs.span, "field has incomplete type");
            return;
        }
        self.adopt_names(id, inner, index, specs.span);
        let (packed, align) = self.field_alignment(specified.align, common.align, common.packed || packed);
        fields.push(Field { name: None, ty: specified.ty, bit_width: None, packed, align, offset: 0, bit_start: 0 });
    }

    /// Adds the members of an anonymous member to the enclosing record.
    fn adopt_names(&mut self, outer: RecordId, inner: RecordId, index: u32, span: Span) {
        let count = self.types.record(inner).fields.len();
        for at in 0..count {
            let field = &self.types.record(inner).fields[at];
            let ty = field.ty.ty;
            match &field.name {
                Some(name) => {
                    let symbol = self.interner.intern(name);
                    self.add_member(outer, symbol, index, span);
                }
                None if field.bit_width.is_none() => {
                    if let Some(nested) = self.record_of(ty) {
                        self.adopt_names(outer, nested, index, span);
                    }
                }
                None => {}
            }
        }
    }

    fn add_member(&mut self, record: RecordId, name: Symbol, index: u32, span: Span) {
        if self.members.insert((record, name), index).is_some() {
            let text = format!("duplicate member '{}'", self.name(name));
            self.error(span, text);
        }
    }

    fn field(
        &mut self,
        id: RecordId,
        specified: Specified,
        common: &Attributes,
        declarator: &FieldDeclarator,
        record_packed: bool,
        fields: &mut Vec<Field>,
    ) {
        let mut attributes = Attributes {
            align: common.align,
            packed: common.packed,
            mode: common.mode,
            vector: common.vector,
            ..Attributes::default()
        };
        self.attributes(&declarator.declarator.attributes, &mut attributes);
        self.attributes(&declarator.attributes, &mut attributes);
        let span = declarator.declarator.span;
        let base = self.apply_type_attributes(specified.ty, &attributes, span);
        let pending = std::mem::take(&mut self.pending);
        let mut ty = self.declarator_type(base, &declarator.declarator.steps, span);
        self.pending = pending;
        let name = declarator.declarator.name;
        if self.is_function(ty.ty) {
            let text = format!("field '{}' declared as a function", name.map_or("", |n| self.interner.name(n)));
            self.error(span, text);
            ty = QualType::plain(TypeId::ERROR);
        }
        let flexible = matches!(self.types.get(ty.ty), Type::Array(_, ArrayLen::Unknown));
        if self.is_variable_size(ty.ty) {
            // Reaching the definition is reported as unsupported. The member itself becomes an empty array.
            let kind = crate::hir::StmtKind::Unsupported("member of variable length".to_owned());
            self.pending.push(crate::hir::Stmt { kind, span });
            ty = QualType::plain(self.types.intern(Type::Array(QualType::plain(TypeId::CHAR), ArrayLen::Fixed(0))));
        } else if self.is_incomplete(ty.ty) && !flexible && !self.is_error(ty.ty) {
            let text = format!("field has incomplete type '{}'", self.print_qual(ty));
            self.error(span, text);
            ty = QualType::plain(TypeId::ERROR);
        }
        // Treat an invalid member as an int, so that the record has a layout.
        if self.is_error(ty.ty) {
            ty = QualType::plain(TypeId::INT);
        }
        let bit_width = match &declarator.width {
            Some(width) => match self.bit_width(ty, width, name, span) {
                Some(width) => Some(width),
                None => return,
            },
            None => None,
        };
        if let Some(name) = name {
            self.add_member(id, name, fields.len() as u32, span);
        }
        let plain = declarator.declarator.steps.is_empty();
        let typedef_align = if plain || self.is_array(ty.ty) { specified.align } else { 0 };
        let (packed, align) = self.field_alignment(typedef_align, attributes.align, attributes.packed || record_packed);
        let name = name.map(|n| self.interner.name(n).into());
        fields.push(Field { name, ty, bit_width, packed, align, offset: 0, bit_start: 0 });
    }

    /// Returns whether a field is packed, and its alignment.
    ///
    /// A type name with its own alignment sets it exactly, even below the natural one.
    fn field_alignment(&self, typedef_align: u64, align: u64, packed: bool) -> (bool, u64) {
        if typedef_align != 0 && !packed { (true, typedef_align.max(align)) } else { (packed, align) }
    }

    fn bit_width(&mut self, ty: QualType, width: &crate::ast::Expr, name: Option<Symbol>, span: Span) -> Option<u32> {
        let value = self.constant_integer(width)?;
        let Some(kind) = self.int_kind(ty.ty) else {
            let text = format!("bit-field has non-integral type '{}'", self.print_qual(ty));
            self.error(span, text);
            return None;
        };
        let limit = if kind == IntKind::Bool { 1 } else { int_bits(kind, self.target) };
        let text = match u32::try_from(value) {
            Err(_) if value < 0 => "bit-field has negative width".to_owned(),
            Ok(0) if name.is_some() => "named bit-field has zero width".to_owned(),
            Ok(width) if width <= limit => return Some(width),
            _ => format!("width of bit-field ({value} bits) exceeds the width of its type ({limit} bits)"),
        };
        self.error(span, text);
        None
    }

    /// Checks that a flexible array member comes last.
    fn check_flexible(&mut self, fields: &[Field], spec: &RecordSpec) {
        if spec.union {
            return;
        }
        for field in fields.iter().rev().skip(1) {
            if matches!(self.types.get(field.ty.ty), Type::Array(_, ArrayLen::Unknown)) {
                let text =
                    format!("flexible array member '{}' not at end of struct", field.name.as_deref().unwrap_or(""));
                self.error(spec.span, text);
            }
        }
    }

    /// Returns the index of the field that is the member or contains it.
    pub(crate) fn member(&self, record: RecordId, name: Symbol) -> Option<u32> {
        if let Some(&index) = self.members.get(&(record, name)) {
            return Some(index);
        }
        // Records that this unit did not declare (such as the one of `va_list`) have no entries.
        if self.record_spans.contains_key(&record) {
            return None;
        }
        let text = self.interner.name(name);
        let found = self.types.record(record).fields.iter().position(|f| f.name.as_deref() == Some(text));
        found.map(|i| i as u32)
    }

    pub(crate) fn enum_specifier(&mut self, spec: &EnumSpec, alone: bool) -> TypeId {
        let known = match spec.tag {
            Some(tag) => {
                let here = spec.enumerators.is_some() || alone;
                let known = if here { self.scopes.lookup_tag_here(tag) } else { self.scopes.lookup_tag(tag) };
                match known.map(|b| (b.value, b.span)) {
                    Some((Tag::Enum(id), _)) => Some(id),
                    Some((Tag::Record(_), at)) => {
                        let text = format!(
                            "use of '{}' with tag type that does not match previous declaration",
                            self.name(tag)
                        );
                        self.error_with_note(spec.span, text, at, "previous use is here");
                        return TypeId::ERROR;
                    }
                    None => None,
                }
            }
            None => None,
        };
        let underlying = match &spec.underlying {
            Some(name) => {
                let ty = self.type_name_unevaluated(name);
                let kind = self.int_kind(ty.ty);
                if kind.is_none() && !self.is_error(ty.ty) {
                    let text = format!("non-integral type '{}' is an invalid underlying type", self.print_qual(ty));
                    self.error(name.span, text);
                }
                kind
            }
            None => None,
        };
        let id = match known {
            Some(id) => id,
            None => {
                let id = EnumId(self.types.enums.len() as u32);
                let tag = spec.tag.map(|t| self.interner.name(t).into());
                self.types.enums.push(Enum {
                    tag,
                    complete: underlying.is_some(),
                    repr: underlying.unwrap_or(IntKind::UInt),
                });
                if let Some(tag) = spec.tag {
                    self.scopes.bind_tag(tag, Tag::Enum(id), spec.span);
                }
                id
            }
        };
        if spec.enumerators.is_some() {
            self.define_enum(id, spec, underlying);
        }
        self.types.intern(Type::Enum(id))
    }

    fn define_enum(&mut self, id: EnumId, spec: &EnumSpec, underlying: Option<IntKind>) {
        if self.types.enumeration(id).complete && underlying.is_none() {
            let text = format!("redefinition of '{}'", spec.tag.map_or("", |t| self.interner.name(t)));
            self.error(spec.span, text);
        }
        let mut attributes = Attributes::default();
        self.attributes(&spec.attributes, &mut attributes);
        let mut next: i128 = 0;
        let (mut least, mut greatest) = (0i128, 0i128);
        let mut entries = Vec::new();
        for enumerator in spec.enumerators.iter().flatten() {
            if let Some(value) = &enumerator.value {
                next = self.constant_integer(value).unwrap_or(next);
            }
            least = least.min(next);
            greatest = greatest.max(next);
            // Inside the list, an enumerator has a type that holds its value.
            let ty = match underlying {
                Some(kind) => integer::type_of(kind),
                None => integer::type_of(self.enumerator_kind(next, next)),
            };
            self.bind_enumerator(enumerator.name, next, ty, enumerator.span);
            entries.push(enumerator.name);
            next = next.wrapping_add(1);
        }
        let repr = match underlying {
            Some(kind) => kind,
            None if attributes.packed => self.packed_enum_kind(least, greatest),
            None => match self.enumerator_kind(least, greatest) {
                // Without negative values, the representation is unsigned.
                kind if least >= 0 => integer::to_unsigned(kind),
                kind => kind,
            },
        };
        let repr = match attributes.mode {
            Some(mode) => {
                let base = TypeId::INT;
                let ty = QualType::plain(if int_signed(repr) { base } else { TypeId::UINT });
                let wanted = Attributes { mode: Some(mode), ..Attributes::default() };
                let ty = self.apply_type_attributes(ty, &wanted, spec.span);
                self.int_kind(ty.ty).unwrap_or(repr)
            }
            None => repr,
        };
        let entry = &mut self.types.enums[id.0 as usize];
        entry.repr = repr;
        entry.complete = true;
        // After the list, enumerators have type int, or the enumeration's integer type if they do not fit.
        for name in entries {
            let target = self.target;
            if let Some(binding) = self.scopes.lookup_here_mut(name)
                && let Entity::Enumerator(value, ty) = &mut binding.value
            {
                let int = i32::try_from(*value).is_ok() && underlying.is_none();
                *ty = if int { TypeId::INT } else { integer::type_of(repr) };
                *value = integer::wrap(if int { IntKind::Int } else { repr }, target, *value);
            }
        }
    }

    fn bind_enumerator(&mut self, name: Symbol, value: i128, ty: TypeId, span: Span) {
        if let Some(binding) = self.scopes.lookup_here(name) {
            let at = binding.span;
            let text = match binding.value {
                Entity::Enumerator(..) => format!("redefinition of enumerator '{}'", self.name(name)),
                _ => format!("redefinition of '{}' as different kind of symbol", self.name(name)),
            };
            self.error_with_note(span, text, at, "previous definition is here");
        }
        self.scopes.bind(name, Entity::Enumerator(value, ty), span);
    }

    /// Returns the smallest type from int upwards that holds both values.
    fn enumerator_kind(&self, least: i128, greatest: i128) -> IntKind {
        const KINDS: [(IntKind, IntKind); 3] =
            [(IntKind::Int, IntKind::UInt), (IntKind::Long, IntKind::ULong), (IntKind::LongLong, IntKind::ULongLong)];
        for (signed, unsigned) in KINDS {
            let holds = |kind| {
                integer::wrap(kind, self.target, least) == least
                    && integer::wrap(kind, self.target, greatest) == greatest
            };
            if holds(signed) {
                return signed;
            }
            if holds(unsigned) {
                return unsigned;
            }
        }
        if least < 0 || greatest <= i128::from(i64::MAX) { IntKind::Int128 } else { IntKind::UInt128 }
    }

    fn packed_enum_kind(&self, least: i128, greatest: i128) -> IntKind {
        let kinds = if least >= 0 { [IntKind::UChar, IntKind::UShort] } else { [IntKind::SChar, IntKind::Short] };
        for kind in kinds {
            if integer::wrap(kind, self.target, least) == least
                && integer::wrap(kind, self.target, greatest) == greatest
            {
                return kind;
            }
        }
        let kind = self.enumerator_kind(least, greatest);
        if least >= 0 { integer::to_unsigned(kind) } else { kind }
    }
}
