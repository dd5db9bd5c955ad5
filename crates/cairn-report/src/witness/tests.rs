//! Witnesses of a small program, without a front-end.

use cairn_interpret::Fault;
use cairn_ir::inst::{Call, Terminator};
use cairn_ir::program::{Block, Body, Function, Linkage, Signature};
use cairn_ir::{CheckKind, Checks, FileId};
use cairn_portfolio::verdict::Property;
use expect_test::{Expect, expect};

use super::*;

const NAME: &str = "odd \"&\n.c";

const TEXT: &str =
    "void test(void) {\n  unsigned n = __VERIFIER_nondet_uint ( );\n  if (other(3, \")\") < 0)\n    x = a[n];\n}\n";

fn at(line: u32, column: u32) -> Loc {
    Loc { file: FileId(0), line, column }
}

fn program() -> Program {
    let function = |name: &str, body| Function {
        name: name.to_owned(),
        linkage: Linkage::External,
        signature: Signature { ret: None, params: Vec::new(), variadic: false, prototyped: true, noreturn: false },
        origin: cairn_ir::program::Origin::User,
        loc: Loc::NONE,
        body,
    };
    let nondet = Inst::Intrinsic { op: Intrinsic::Nondet, dst: None, args: Box::default(), checks: Checks::NONE };
    let call = Inst::Call(Box::new(Call {
        dst: None,
        callee: Callee::Function(FuncId(1)),
        args: Vec::new(),
        ret: Some(Ty::I32),
        fixed: 0,
        prototyped: true,
        checks: Checks::NONE,
        ctype: None,
    }));
    let block = Block {
        insts: vec![nondet, call],
        locs: vec![at(2, 16), at(3, 7)],
        end: Terminator::Return(None),
        end_loc: at(5, 1),
    };
    let body = Body { blocks: vec![block], ..Body::default() };
    Program {
        files: vec![NAME.to_owned()],
        functions: vec![function("test", Some(body)), function("other", None)],
        ..Program::default()
    }
}

fn violation(kind: CheckKind, asked: Vec<Asked>) -> Violation {
    let place = |loc| StackPlace { function: FuncId(0), loc };
    Violation {
        property: Property::of(kind),
        fault: Fault {
            kind,
            check: None,
            message: String::new(),
            access: None,
            stack: vec![place(at(4, 10))],
            history: Vec::new(),
        },
        inputs: Vec::new(),
        asked,
        strewn: Vec::new(),
        end: vec![place(at(5, 1))],
        trace: Vec::new(),
        story: Default::default(),
    }
}

fn metadata() -> Metadata {
    Metadata {
        creation_time: "2026-01-31T23:59:59Z".to_owned(),
        uuid: "00000000-0000-4000-8000-000000000000".to_owned(),
        version: "1.2.3".to_owned(),
        input_file: NAME.to_owned(),
        input_hash: "00ff".to_owned(),
        specification: "CHECK( init(test()), LTL(G valid-deref) )\nCHECK( init(test()), LTL(G valid-free) )".to_owned(),
        lp64: false,
    }
}

fn two_values() -> Vec<Asked> {
    vec![
        Asked { loc: at(2, 16), ty: Ty::I32, value: 0xffff_ffff },
        Asked { loc: at(3, 7), ty: Ty::I32, value: 0xffff_ffff },
    ]
}

type Render = fn(&Violation, &Program, &Metadata, Texts<'_>) -> String;

fn render(with: Render, violation: &Violation) -> String {
    let read = |name: &str| (name == NAME).then(|| TEXT.into());
    with(violation, &program(), &metadata(), Texts { read: &read, sources: None })
}

fn check(with: Render, violation: &Violation, expected: Expect) {
    expected.assert_eq(&render(with, violation));
}

#[test]
fn yaml_names_values_and_the_target() {
    check(
        yaml::render,
        &violation(CheckKind::OutOfBounds, two_values()),
        expect![[r#"
        - entry_type: "violation_sequence"
          metadata:
            format_version: "2.0"
            uuid: "00000000-0000-4000-8000-000000000000"
            creation_time: "2026-01-31T23:59:59Z"
            producer:
              name: "cairn"
              version: "1.2.3"
            task:
              input_files:
              - "odd \"&\n.c"
              input_file_hashes:
                "odd \"&\n.c": "00ff"
              specification: "CHECK( init(test()), LTL(G valid-deref) )\nCHECK( init(test()), LTL(G valid-free) )"
              data_model: "ILP32"
              language: "C"
          content:
          - segment:
            - waypoint:
                type: "function_return"
                action: "follow"
                constraint:
                  value: "\\result == 4294967295"
                  format: "acsl_expression"
                location:
                  file_name: "odd \"&\n.c"
                  line: 2
                  column: 41
                  function: "test"
          - segment:
            - waypoint:
                type: "function_return"
                action: "follow"
                constraint:
                  value: "\\result == -1"
                  format: "acsl_expression"
                location:
                  file_name: "odd \"&\n.c"
                  line: 3
                  column: 19
                  function: "test"
          - segment:
            - waypoint:
                type: "target"
                action: "follow"
                location:
                  file_name: "odd \"&\n.c"
                  line: 4
                  column: 5
                  function: "test"
    "#]],
    );
}

#[test]
fn graphml_is_a_chain_into_the_violation() {
    check(
        graphml::render,
        &violation(CheckKind::OutOfBounds, two_values()),
        expect![[r#"
        <?xml version="1.0" encoding="UTF-8" standalone="no"?>
        <graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
         <key id="witness-type" attr.name="witness-type" attr.type="string" for="graph"/>
         <key id="witness-format-version" attr.name="witness-format-version" attr.type="string" for="graph"/>
         <key id="sourcecodelang" attr.name="sourcecodelang" attr.type="string" for="graph"/>
         <key id="producer" attr.name="producer" attr.type="string" for="graph"/>
         <key id="specification" attr.name="specification" attr.type="string" for="graph"/>
         <key id="programfile" attr.name="programfile" attr.type="string" for="graph"/>
         <key id="programhash" attr.name="programhash" attr.type="string" for="graph"/>
         <key id="architecture" attr.name="architecture" attr.type="string" for="graph"/>
         <key id="creationtime" attr.name="creationtime" attr.type="string" for="graph"/>
         <key id="entry" attr.name="entry" attr.type="boolean" for="node">
          <default>false</default>
         </key>
         <key id="violation" attr.name="violation" attr.type="boolean" for="node">
          <default>false</default>
         </key>
         <key id="startline" attr.name="startline" attr.type="int" for="edge"/>
         <key id="endline" attr.name="endline" attr.type="int" for="edge"/>
         <key id="assumption" attr.name="assumption" attr.type="string" for="edge"/>
         <key id="assumption.scope" attr.name="assumption.scope" attr.type="string" for="edge"/>
         <key id="assumption.resultfunction" attr.name="assumption.resultfunction" attr.type="string" for="edge"/>
         <graph edgedefault="directed">
          <data key="witness-type">violation_witness</data>
          <data key="witness-format-version">1.0</data>
          <data key="sourcecodelang">C</data>
          <data key="producer">cairn 1.2.3</data>
          <data key="specification">CHECK( init(test()), LTL(G valid-deref) )</data>
          <data key="specification">CHECK( init(test()), LTL(G valid-free) )</data>
          <data key="programfile">odd &quot;&amp;
        .c</data>
          <data key="programhash">00ff</data>
          <data key="architecture">32bit</data>
          <data key="creationtime">2026-01-31T23:59:59Z</data>
          <node id="N0">
           <data key="entry">true</data>
          </node>
          <node id="N1"/>
          <node id="N2"/>
          <node id="N3">
           <data key="violation">true</data>
          </node>
          <edge source="N0" target="N1">
           <data key="startline">2</data>
           <data key="endline">2</data>
           <data key="assumption">\result == 4294967295</data>
           <data key="assumption.scope">test</data>
           <data key="assumption.resultfunction">__VERIFIER_nondet_uint</data>
          </edge>
          <edge source="N1" target="N2">
           <data key="startline">3</data>
           <data key="endline">3</data>
           <data key="assumption">\result == -1</data>
           <data key="assumption.scope">test</data>
           <data key="assumption.resultfunction">other</data>
          </edge>
          <edge source="N2" target="N3">
           <data key="startline">4</data>
           <data key="endline">4</data>
          </edge>
         </graph>
        </graphml>
    "#]],
    );
}

#[test]
fn a_leak_is_violated_where_the_program_ends() {
    let text = render(yaml::render, &violation(CheckKind::Leak, Vec::new()));
    assert!(text.contains("          line: 5\n          column: 1\n"), "{text}");
    assert_eq!(text.matches("waypoint:").count(), 1, "{text}");
}

#[test]
fn a_place_with_a_value_that_has_no_constant_is_left_out() {
    let nan = Asked { loc: at(2, 16), ty: Ty::F64, value: u128::from(f64::NAN.to_bits()) };
    let mut asked = two_values();
    asked.push(nan);
    asked.push(Asked { loc: Loc::NONE, ty: Ty::I8, value: 1 });
    asked.push(Asked { loc: at(99, 1), ty: Ty::I8, value: 1 });
    let text = render(yaml::render, &violation(CheckKind::OutOfBounds, asked));
    assert_eq!(text.matches("function_return").count(), 1, "{text}");
    assert!(text.contains("          value: \"\\\\result == -1\"\n"), "{text}");
}

#[test]
fn values_are_constants_of_their_type() {
    let of = |ty, value, callee| constraint(&Asked { loc: Loc::NONE, ty, value }, callee, &program());
    let is = |text: &str| Some(format!("\\result {text}"));
    assert_eq!(of(Ty::I8, 0xff, "__VERIFIER_nondet_char"), is("== -1"));
    assert_eq!(of(Ty::I8, 0xff, "__VERIFIER_nondet_uchar"), is("== 255"));
    assert_eq!(of(Ty::I1, 1, "__VERIFIER_nondet_bool"), is("== 1"));
    assert_eq!(of(Ty::I64, 1 << 63, "__VERIFIER_nondet_longlong"), is("== -9223372036854775808"));
    assert_eq!(of(Ty::I128, u128::MAX, "__VERIFIER_nondet_uint128"), is(&format!("== {}", u128::MAX)));
    assert_eq!(of(Ty::Ptr, 0, "__VERIFIER_nondet_pointer"), is("== 0"));
    assert_eq!(of(Ty::Ptr, 8, "__VERIFIER_nondet_pointer"), is("!= 0"));
    assert_eq!(of(Ty::F32, u128::from(1.5f32.to_bits()), "__VERIFIER_nondet_float"), is("== 1.5"));
    assert_eq!(of(Ty::F64, u128::from(f64::INFINITY.to_bits()), "__VERIFIER_nondet_double"), None);
}

#[test]
fn line_markers_are_taken_back_to_the_lines_of_the_file() {
    let text = "# 1 \"list.c\"\n# 7 \"list.c\"\nint main(void) {\n  *p = get();\n}\n";
    let read = |_: &str| Some(text.into());
    let texts = Texts { read: &read, sources: None };
    let input = InputText::new("list.i", texts);
    let place = input.statement(at(8, 4), "list.c", texts);
    assert_eq!((place.file.as_str(), place.line, place.column), ("list.i", 4, 3));
    let call = input.call(at(8, 8), "list.c", texts).expect("a call is there");
    assert_eq!((call.name.as_str(), call.end.line, call.end.column), ("get", 4, 12));
    assert!(input.call(at(8, 3), "list.c", texts).is_none());
    // A location in another file does not change.
    assert_eq!(input.statement(at(8, 4), "list.h", texts).file, "list.h");
}
