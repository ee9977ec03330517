//! Sources that are huge, nested deeply, or no text at all. Nothing here looks at
//! a clock: work that grows with the square of the size would take hours.

use proptest::prelude::*;
use uncaged_workflow::bundle::check;

const BUNDLE: &str = "export const descriptor = { description: \"d\", roles: {} };\n\
                      export async function* run() {}\n";

/// The codes of what is found, each once, in order.
fn codes(source: &str) -> Vec<&'static str> {
    let report = check("a.esm.js", source.as_bytes());
    let mut codes: Vec<_> = report.findings.iter().map(|f| f.code.as_str()).collect();
    codes.dedup();
    codes
}

/// `open` and `close` around `inner`, `depth` times.
fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{BUNDLE}x = {}{inner}{};", open.repeat(depth), close.repeat(depth))
}

const NESTINGS: &[(&str, &str, &str)] = &[
    ("(", "1", ")"),
    ("[", "", "]"),
    ("{a:", "1", "}"),
    ("f(", "", ")"),
    ("(()=>{", "", "})"),
    ("(function(){", "", "})"),
    ("(class{static{", "", "}})"),
    ("`${", "1", "}`"),
    ("a?(", "1", "):2"),
    ("async(a=", "1", ")=>1"),
    ("a=(b=", "1", ")"),
];

const CHAINS: &[(&str, &str)] = &[
    ("!", "1"),
    ("typeof ", "1"),
    ("- ", "1"),
    ("new ", "X"),
    ("a=>", "1"),
    ("a?b:", "1"),
    ("a=", "1"),
    ("a**", "1"),
    ("a+", "1"),
    ("'a'+", "1"),
    ("a||", "1"),
    ("a.b+", "1"),
    ("a,", "1"),
];

const STATEMENTS: &[(&str, &str)] = &[
    ("if(a)", "x;"),
    ("if(a)x;else ", "x;"),
    ("if(a){x}else ", "x"),
    ("for(;;)", "x;"),
    ("while(a)\n", "x;"),
    ("do ", ""),
    ("{", ""),
];

#[test]
fn what_v8_would_run_passes_however_deep() {
    for (open, inner, close) in NESTINGS {
        assert_eq!(codes(&nested(open, inner, close, 200)), [""; 0], "{open}");
    }
    for (open, inner) in CHAINS {
        assert_eq!(codes(&nested(open, inner, "", 2_000)), [""; 0], "{open}");
    }
    for (open, inner) in &STATEMENTS[..5] {
        let source = format!("{BUNDLE}{}{inner}", open.repeat(2_000));
        assert_eq!(codes(&source), [""; 0], "{open}");
    }
    // V8 flattens these, so long ones do occur.
    assert_eq!(codes(&nested("'a'+", "1", "", 30_000)), [""; 0]);
}

#[test]
fn deeper_nesting_is_refused_and_never_overflows() {
    for depth in [3_000, 30_000] {
        for (open, inner, close) in NESTINGS {
            refused_or_fine(&nested(open, inner, close, depth));
        }
        for (open, inner) in CHAINS {
            refused_or_fine(&nested(open, inner, "", depth));
        }
        for (open, inner) in STATEMENTS {
            refused_or_fine(&format!("{BUNDLE}{}{inner}", open.repeat(depth)));
        }
    }
    let report = check("a.esm.js", nested("[", "", "]", 100_000).as_bytes());
    let found: Vec<_> = report.findings.iter().map(|f| (f.code.as_str(), &f.message)).collect();
    assert_eq!(
        found,
        [("bundle/nesting", &"the source is nested too deeply for the engine".to_owned())]
    );
    let at = report.findings[0].at.as_ref().unwrap();
    assert_eq!((at.line, at.column, at.snippet.text.chars().count()), (3, 2_505, 122));
}

/// The process is still there, and what is said is about the syntax.
fn refused_or_fine(source: &str) {
    for code in codes(source) {
        assert!(matches!(code, "bundle/nesting" | "bundle/syntax"), "{code}");
    }
}

#[test]
fn long_flat_sources_are_not_deep() {
    let flat = [
        "x = 1;",
        "f(a, [b], { c: d })\n",
        "{ function f() { return /[({]/.test(\"(\") } }\n",
        "if (a) { b } else if (c) { d } else { e }\n",
        "x = a ? b : c, y = `(${a}[${b}{`;",
        "{ class A { a() {} get b() { return 1 } static c = 2; #d() {} } }\n",
        "i++ / 2; x = (a + b) / c / d;",
        "case_: switch (a) { case 1: case 2: break case_; default: }\n",
        "if (a) /[(]/.exec(b)\nfor (const x of y) z(x)\n",
        "a = b\n++c\n",
        "'(' + '['; // ((((\n",
        "/* [[[[ */ x = '\\'('; y = `\\`(`;",
    ];
    for line in flat {
        let source = format!("{BUNDLE}{{ {} }}", line.repeat(4_000));
        assert_eq!(codes(&source), [""; 0], "{line}");
    }
    let list = format!("{BUNDLE}x = [{}];", "{ a: [1, 2], b: 'c' }, ".repeat(50_000));
    assert_eq!(codes(&list), [""; 0]);
}

#[test]
fn a_huge_bundle_is_read() {
    let mut source = String::from(BUNDLE);
    let mut i = 0;
    while source.len() < 5_000_000 {
        source.push_str(&format!(
            "function f{i}(a,b){{return a.map(x=>x+{i}).filter(Boolean).concat(b||[\"text {i}\"])}};"
        ));
        i += 1;
    }
    source.push_str("import(\"late\");require(\"late\");");
    assert_eq!(codes(&source), ["bundle/dynamic-import", "bundle/require"]);
}

#[test]
fn thousands_of_findings_in_one_line_have_their_columns() {
    let source = format!("{BUNDLE}{}", "require('é');".repeat(20_000));
    let report = check("a.esm.js", source.as_bytes());
    assert_eq!(report.findings.len(), 20_000);
    let last = report.findings.last().unwrap().at.as_ref().unwrap();
    assert_eq!((last.line, last.column), (3, 19_999 * 13 + 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_are_too_odd(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check("a.esm.js", &bytes);
    }

    /// Text made of the pieces that the scanner and the parser care about.
    #[test]
    fn no_text_is_too_odd(
        pieces in proptest::collection::vec(
            prop_oneof![
                "\\PC{0,3}",
                proptest::sample::select(&[
                    "(", ")", "[", "]", "{", "}", "`", "${", "'", "\"", "/", "//", "/*", "*/", "\\",
                    "\n", "\r", "\u{2028}", "\u{feff}", "\0", " ", ";", ",", "=>", "?", ":", "...",
                    "import", "export", "default", "require", "run", "descriptor", "from", "as",
                    "const", "function*", "class", "await", "yield", "if", "else", "for", "in",
                    "#!", "<", ">", "@", "#x", "1n", "0x", "é", "👩‍🚀", "a", "b", "=", "'fs'",
                ]).prop_map(str::to_owned),
            ],
            0..40,
        )
    ) {
        let source = pieces.concat();
        for finding in check("a.esm.js", source.as_bytes()).findings {
            let Some(at) = finding.at else { continue };
            prop_assert!(at.span.start <= at.span.end && at.span.end <= source.len());
            prop_assert!(at.line >= 1 && at.column >= 1);
            prop_assert!(at.snippet.range().end <= at.snippet.text.len());
        }
    }
}
