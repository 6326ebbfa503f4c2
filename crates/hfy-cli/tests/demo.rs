//! `hfy demo`.

mod common;
use common::Folder;

#[test]
fn the_demonstration_says_what_it_should() {
    let folder = Folder::new();
    let text = folder.ok(&["demo"]);
    for name in
        ["classic", "binary", "polynomial", "exponential", "softmax", "1.5-entmax", "sparsemax", "normmax", "2-subsets"]
    {
        assert!(text.contains(name), "{name}");
    }
    for post in ["l2", "layer norm", "tanh"] {
        assert!(text.contains(&format!("sparsemax, {post}")), "{post}");
    }
    assert!(text.contains('▀') && text.contains("exact: every pixel as it was stored"), "pictures");
    assert!(text.contains("The report with figures: hfy-demo.html"), "where the report is");
    assert!(text.lines().all(|line| line.chars().count() <= 125), "it fits a terminal");
    let html = folder.read("hfy-demo.html");
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
    // One file and nothing else: no script, no address but data and the colours of the page itself.
    assert!(
        !html.contains("<script") && !html.contains("http:") && !html.contains("https:") && !html.contains("<link")
    );
    assert!(html.contains("prefers-color-scheme: dark"));
    for part in ["<svg", "data:image/png;base64,", "What comes back", "Downhill", "Known beforehand", "How much noise"]
    {
        assert!(html.contains(part), "{part}");
    }
    assert_eq!(html.matches("<figure>").count(), html.matches("</figure>").count());
    assert!(!html.contains("NaN") && !html.contains("\"inf"), "every number is one");
}

#[test]
fn two_runs_are_the_same_and_json_counts() {
    let folder = Folder::new();
    let first = folder.json(&["demo", "--out", "a.html"]);
    let second = folder.json(&["demo", "--out", "a.html", "--quiet"]);
    assert_eq!(first, second);
    assert_eq!((&first["pictures"], first["networks"].as_array().map(Vec::len)), (&32.into(), Some(13)));
    let network = |name: &str| {
        let networks = first["networks"].as_array().expect("a list");
        networks.iter().find(|network| network["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    for cue in network("sparsemax")["cues"].as_array().expect("a list") {
        let count = |field: &str| cue[field].as_u64().expect("a number");
        assert!(count("exact") >= 31, "{cue}");
        assert!(count("certified") <= count("exact"), "what is certain happens: {cue}");
        assert!(cue["energy_after"].as_f64() < cue["energy_before"].as_f64(), "{cue}");
    }
    for cue in network("modern (softmax)")["cues"].as_array().expect("a list") {
        assert_eq!((&cue["exact"], &cue["certified"]), (&0.into(), &serde_json::Value::Null), "{cue}");
    }
}
