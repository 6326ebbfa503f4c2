//! `hfy mil`.

mod common;

use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Folder, numbers};
use serde_json::Value;

/// Bags of one to six instances, a third of them positive: those with a first feature above 3. The last feature is
/// constant.
fn bags(seed: u64, count: usize, labelled: bool) -> String {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    let mut text = if labelled { "bag,label,x,y,z\n" } else { "bag,x,y,z\n" }.to_owned();
    for bag in 0..count {
        let (positive, size) = (bag % 3 == 0, 1 + (bag * 7 + seed as usize) % 6);
        for instance in 0..size {
            let x = draw() + if positive && instance == bag % size { 4.0 } else { 0.0 };
            let label = if labelled { format!("{},", if positive { "yes" } else { "no" }) } else { String::new() };
            text += &format!("b{bag},{label}{x:.4},{:.4},7\n", draw());
        }
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("bags.csv", bags(1, 60, true));
    folder.write("new.csv", bags(2, 45, true));
    folder.write("unlabelled.csv", bags(2, 45, false));
    folder
}

/// Runs and demands success; notes about how a table was read are let through.
fn ok(folder: &Folder, arguments: &[&str]) -> String {
    let run = folder.run(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    let is_note = |line: &str| line.starts_with("note: ") || line.starts_with("{\"note\":");
    assert!(run.stderr.lines().all(is_note), "{}", run.stderr);
    run.stdout
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, &[arguments, &["--json"]].concat())).expect("one document")
}

fn list<'a>(document: &'a Value, name: &str) -> &'a Vec<Value> {
    document[name].as_array().unwrap_or_else(|| panic!("no {name} in {document}"))
}

#[test]
fn a_model_learns_predicts_and_shows_its_evidence() {
    let folder = folder();
    let trained = json(&folder, &["mil", "train", "bags.csv", "-o", "m.safetensors", "--seeds", "2"]);
    let counts = ["bags", "positive", "features"].map(|name| trained[name].as_u64().expect("a count"));
    assert_eq!((counts, list(&trained, "validation").len()), ([60, 20, 3], 12));
    assert_eq!(list(&trained, "members").len(), 2);
    for member in list(&trained, "members") {
        assert!(member["auc"].as_f64() > Some(0.95), "{member}");
    }

    let said = json(&folder, &["mil", "predict", "m.safetensors", "new.csv"]);
    let right = list(&said, "bags").iter().filter(|bag| bag["positive"] == bag["label"]).count();
    assert!(right >= 42, "{right} of 45");
    for bag in list(&said, "bags") {
        let (probability, between) = (bag["probability"].as_f64().expect("a number"), numbers(&bag["between"]));
        assert!(between[0] <= probability && probability <= between[1] && between[1] <= 1.0, "{bag}");
    }
    // Labels are not asked for, and change nothing.
    let blind = json(&folder, &["mil", "predict", "m.safetensors", "unlabelled.csv"]);
    for (bag, other) in list(&said, "bags").iter().zip(list(&blind, "bags")) {
        assert_eq!((&bag["probability"], &other["label"]), (&other["probability"], &Value::Null));
    }

    let shown = json(&folder, &["mil", "explain", "m.safetensors", "new.csv"]);
    let rows: Vec<Vec<f64>> = folder.read("new.csv").lines().skip(1).map(features).collect();
    let mut pointed = 0;
    for (bag, said) in list(&shown, "bags").iter().zip(list(&said, "bags")) {
        assert_eq!(bag["probability"], said["probability"]);
        let instances = list(bag, "instances");
        let shares: Vec<f64> = instances.iter().map(|one| one["share"].as_f64().expect("a share")).collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{bag}");
        let best =
            instances.iter().max_by(|a, b| a["share"].as_f64().partial_cmp(&b["share"].as_f64()).expect("order"));
        let row = best.expect("no bag is empty")["row"].as_u64().expect("a row") as usize;
        pointed += usize::from(bag["label"] == true && rows[row][0] > 2.5);
    }
    assert!(pointed >= 12, "the evidence of {pointed} of 15 positive bags");
}

/// The features of a line.
fn features(line: &str) -> Vec<f64> {
    line.split(',').skip(2).map(|cell| cell.parse().expect("a number")).collect()
}

/// What has no weight had no part in the decision.
#[test]
fn instances_without_weight_can_be_left_out() {
    let folder = folder();
    ok(&folder, &["mil", "train", "bags.csv", "-o", "m.safetensors", "--omega", "sparsemax", "--beta", "2"]);
    let shown = json(&folder, &["mil", "explain", "m.safetensors", "new.csv"]);
    let text = folder.read("new.csv");
    let lines: Vec<&str> = text.lines().collect();
    let (mut kept, mut left) = (vec![lines[0]], 0);
    for bag in list(&shown, "bags") {
        for one in list(bag, "instances") {
            let weighs = one["heads"].as_u64() > Some(0);
            left += usize::from(!weighs);
            kept.extend(weighs.then(|| lines[1 + one["row"].as_u64().expect("a row") as usize]));
        }
    }
    assert!(left > 20, "{left} instances have no weight");
    folder.write("kept.csv", kept.join("\n"));
    let (all, few) = (
        json(&folder, &["mil", "predict", "m.safetensors", "new.csv"]),
        json(&folder, &["mil", "predict", "m.safetensors", "kept.csv"]),
    );
    for (all, few) in list(&all, "bags").iter().zip(list(&few, "bags")) {
        let apart = all["probability"].as_f64().expect("a number") - few["probability"].as_f64().expect("a number");
        assert!(apart.abs() < 1e-6, "{all} {few}");
    }
}

#[test]
fn several_betas_and_a_learned_alpha() {
    let folder = folder();
    let choice = ["--beta", "0.01,1", "--omega", "entmax", "--learn", "1.5", "--epochs", "5"];
    let train = [&["mil", "train", "bags.csv", "-o", "m.safetensors"][..], &choice].concat();
    let trained = json(&folder, &train);
    let alphas = numbers(&trained["members"][0]["learned"]);
    assert!(alphas.len() == 4 && alphas.iter().all(|alpha| (1.0..2.0).contains(alpha)), "{alphas:?}");
    assert!(alphas.iter().any(|alpha| (alpha - 1.5).abs() > 1e-4), "nothing was learned: {alphas:?}");
    assert!(ok(&folder, &[&train[..], &["--force"]].concat()).contains("learned for the heads: 1."));
    assert!([0.01, 1.0].map(Some).contains(&trained["beta"].as_f64()), "{trained}");
    assert_eq!(trained["config"]["model"]["pooling"]["omega_parameter"]["Learned"], Value::from(vec![1.5; 4]));
    ok(&folder, &["mil", "predict", "m.safetensors", "new.csv"]);
}

#[test]
fn a_run_that_was_killed_goes_on_to_the_same_model() {
    let folder = folder();
    let long = ["--epochs", "150", "--patience", "150", "--dropout", "0.2"];
    let train = |name: &'static str| [&["mil", "train", "bags.csv", "-o", name][..], &long].concat();
    ok(&folder, &train("whole.safetensors"));
    let mut child = folder.command(&train("cut.safetensors"));
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
    let begin = Instant::now();
    let is_checkpoint = |name: &String| name.starts_with(".cut.safetensors.") && name.ends_with(".checkpoint");
    while !folder.names().iter().any(is_checkpoint) {
        assert!(begin.elapsed() < Duration::from_secs(60), "there is no checkpoint after a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child that runs");
    child.wait().expect("a child");
    let rest = folder.run(&train("cut.safetensors"));
    assert_eq!(rest.code, 0, "{}", rest.stderr);
    assert!(rest.stderr.contains("note: goes on with .cut.safetensors."), "{}", rest.stderr);
    assert!(folder.bytes("whole.safetensors") == folder.bytes("cut.safetensors"), "the two models differ");
    assert!(!folder.names().iter().any(|name| name.ends_with(".checkpoint")), "{:?}", folder.names());
}

/// The probabilities of new bags by a network that was trained with these options.
fn probabilities(folder: &Folder, options: &[&str]) -> Vec<f64> {
    let train = ["mil", "train", "bags.csv", "-o", "o.safetensors", "--force", "--epochs", "4", "--quiet"];
    ok(folder, &[&train[..], options].concat());
    let said = json(folder, &["mil", "predict", "o.safetensors", "new.csv"]);
    list(&said, "bags").iter().map(|bag| bag["probability"].as_f64().expect("a number")).collect()
}

#[test]
fn every_option_of_the_network_changes_what_is_learned() {
    let folder = folder();
    let plain = probabilities(&folder, &[]);
    for options in [
        &["--energy"][..],
        &["--balanced"],
        &["--unscaled"],
        &["--psi", "l2"],
        &["--batch", "4"],
        &["--heads", "2"],
        &["--hidden", "8"],
        &["--embedding", "32"],
        &["--rate", "0.01"],
        &["--decay", "0.5"],
        &["--dropout", "0.5"],
        &["--seed", "1"],
        &["--omega", "sequence:2:t=0.5"],
        &["--omega", "sequence:2", "--learn", "0.5"],
        &["--omega", "normmax", "--learn", "2"],
    ] {
        let other = probabilities(&folder, options);
        assert!(other.iter().all(|probability| (0.0..=1.0).contains(probability)), "{options:?}: {other:?}");
        assert_ne!(other, plain, "{options:?}");
    }
}

/// Mean of what is trained with, and not of the file that is read.
#[test]
fn missing_values_have_the_mean_of_the_training_instances() {
    let folder = folder();
    let gappy = |text: String| {
        let gap = |(at, line): (usize, &str)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if at % 5 == 3 {
                cells[2 + at % 2] = "";
            }
            cells.join(",") + "\n"
        };
        text.lines().enumerate().map(gap).collect::<String>()
    };
    folder.write("gaps.csv", gappy(bags(1, 60, true)));
    folder.write("new-gaps.csv", gappy(bags(2, 45, true)));
    let mean = ["--missing", "mean"];
    ok(&folder, &[&["mil", "train", "gaps.csv", "-o", "m.safetensors"][..], &mean].concat());
    let all = json(&folder, &[&["mil", "predict", "m.safetensors", "new-gaps.csv"][..], &mean].concat());
    let text = folder.read("new-gaps.csv");
    let mut gaps = 0;
    for bag in list(&all, "bags") {
        let own = format!("{},", bag["bag"].as_str().expect("a name"));
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(&own)).collect();
        gaps += lines.iter().filter(|line| line.contains(",,")).count();
        folder.write("alone.csv", format!("bag,label,x,y,z\n{}\n", lines.join("\n")));
        let alone = json(&folder, &[&["mil", "predict", "m.safetensors", "alone.csv"][..], &mean].concat());
        assert_eq!(alone["bags"][0]["probability"], bag["probability"], "{bag}");
    }
    assert!(gaps > 10, "{gaps} lines have gaps");
    let refused = [&["mil", "train", "gaps.csv", "-o", "u.safetensors", "--unscaled"][..], &mean].concat();
    assert!(folder.fails(&refused, 1).contains("gaps.csv: has missing values, and features that are not scaled"));
}

#[test]
fn what_does_not_fit_the_model_is_refused() {
    let folder = folder();
    ok(&folder, &["mil", "train", "bags.csv", "-o", "m.safetensors", "--epochs", "1"]);
    folder.write("narrow.csv", "bag,label,x,y\na,1,0,0\n");
    let narrow = folder.fails(&["mil", "predict", "m.safetensors", "narrow.csv"], 1);
    assert!(narrow.contains("narrow.csv: has 2 features, the model was trained with 3"), "{narrow}");
    folder.write("other.csv", "bag,label,x,y,w\na,1,0,0,0\n");
    let other = folder.fails(&["mil", "explain", "m.safetensors", "other.csv"], 1);
    assert!(other.contains("its feature 3 is 'w', the model was trained with 'z'"), "{other}");
    let unknown = folder.fails(&["mil", "explain", "m.safetensors", "new.csv", "--only", "b0,nobody"], 1);
    assert!(unknown.contains("new.csv: has no bag 'nobody'"), "{unknown}");
    let energy = ["mil", "train", "bags.csv", "-o", "e.safetensors", "--energy", "--omega", "subsets:2"];
    assert!(folder.fails(&energy, 2).contains("decisions by energies need a map onto the simplex"));
    let pictures = folder.fails(&["mil", "predict", "m.safetensors", "new.csv", "--picture", "3x1"], 1);
    assert!(pictures.contains("has pictures of 3x1, the model was trained with none"), "{pictures}");
}

#[test]
fn tables_for_people_and_for_other_programs() {
    let folder = folder();
    ok(&folder, &["mil", "train", "bags.csv", "-o", "m.safetensors"]);
    let said = ok(&folder, &["mil", "predict", "m.safetensors", "new.csv", "-o", "said.csv"]);
    assert!(said.contains("of 45 decisions agree with the labels"), "{said}");
    let csv = folder.read("said.csv");
    assert!(csv.starts_with("bag,probability,positive,label\n\"b0\",0.") && csv.lines().count() == 46, "{csv}");
    let shown = ok(&folder, &["mil", "explain", "m.safetensors", "new.csv", "--only", "b0", "--top", "1"]);
    assert!(shown.lines().nth(1).is_some_and(|line| line.starts_with("b0") && line.contains("positive")), "{shown}");
    let evaluated = ok(&folder, &["mil", "evaluate", "bags.csv", "--seeds", "1", "--folds", "4", "--epochs", "2"]);
    assert!(evaluated.contains("in the mean of 1 repetitions of 4 folds over 60 bags (20 positive)"), "{evaluated}");
}

#[test]
fn models_are_not_written_over() {
    let folder = folder();
    let short = ["mil", "train", "bags.csv", "-o", "m.safetensors", "--epochs", "1"];
    ok(&folder, &short);
    assert!(folder.fails(&short, 1).contains("m.safetensors: exists already"));
    ok(&folder, &[&short[..], &["--force", "--seed", "3"]].concat());
}

#[test]
fn evaluation_is_on_bags_that_were_not_seen() {
    let folder = folder();
    let evaluate = ["mil", "evaluate", "bags.csv", "--seeds", "2", "--folds", "4", "--epochs", "25"];
    let found = json(&folder, &evaluate);
    assert!(found["auc"]["mean"].as_f64() > Some(0.9), "{}", found["auc"]);
    assert_eq!((list(&found, "repetitions").len(), list(&found["repetitions"][0], "folds").len()), (2, 4));
    assert_eq!(found, json(&folder, &[&evaluate[..], &["--threads", "1"]].concat()), "threads change nothing");

    // Labels that say nothing cannot be learned.
    let (text, mut bag) = (folder.read("bags.csv"), 0);
    let lines = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        bag = cells[0][1..].parse::<usize>().expect("a number");
        let label = if (bag * bag + bag / 3) % 2 == 0 { "yes" } else { "no" };
        format!("{},{label},{}\n", cells[0], cells[2..].join(","))
    });
    let shuffled = "bag,label,x,y,z\n".to_owned() + &lines.collect::<String>();
    folder.write("shuffled.csv", shuffled);
    let found = json(&folder, &["mil", "evaluate", "shuffled.csv", "--seeds", "2", "--folds", "4", "--epochs", "25"]);
    assert!(found["auc"]["mean"].as_f64() < Some(0.75), "{}", found["auc"]);
}

#[test]
fn finished_folds_are_kept_and_used() {
    let folder = folder();
    let evaluate = ["mil", "evaluate", "bags.csv", "--seeds", "1", "--folds", "4", "--epochs", "3"];
    let plain = json(&folder, &evaluate);
    let keeping = [&evaluate[..], &["--keep", "folds.jsonl"]].concat();
    assert_eq!(json(&folder, &keeping), plain);
    let kept = folder.read("folds.jsonl");
    assert_eq!(kept.lines().count(), 4);
    // Half a line, as a kill leaves it, and a fold that says something else: it is taken from the file.
    let mut lines: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).expect("a fold")).collect();
    lines[0]["fold"]["auc"] = 0.125.into();
    let changed: String = lines.iter().take(3).map(|line| format!("{line}\n")).collect();
    folder.write("folds.jsonl", changed + &kept.lines().last().expect("a line")[..20]);
    let again = json(&folder, &keeping);
    let areas = |found: &Value| -> Vec<f64> {
        let folds = list(&found["repetitions"][0], "folds").clone();
        folds.iter().map(|fold| fold["auc"].as_f64().expect("an area")).collect()
    };
    let changed = areas(&again).iter().zip(areas(&plain)).filter(|(a, b)| **a != *b).count();
    assert!(changed == 1 && areas(&again).contains(&0.125), "{again}");
    assert_eq!(folder.read("folds.jsonl").lines().count(), 4);
    // Other settings are other folds.
    let other = [&keeping[..], &["--omega", "softmax"]].concat();
    json(&folder, &other);
    assert_eq!(folder.read("folds.jsonl").lines().count(), 8);
    folder.write("folds.jsonl", "no fold\n");
    let refused = folder.run(&keeping);
    assert!(refused.code == 1 && refused.stderr.contains("folds.jsonl: line 1 is no kept fold"), "{}", refused.stderr);
}

#[test]
fn a_page_shows_pictures_where_instances_are_pictures() {
    let folder = folder();
    ok(&folder, &["mil", "train", "bags.csv", "-o", "m.safetensors", "--epochs", "3"]);
    ok(&folder, &["mil", "explain", "m.safetensors", "new.csv", "--only", "b0,b4", "-o", "page.html"]);
    let page = folder.read("page.html");
    assert_eq!((page.matches("<svg").count(), page.matches("data:image/png").count()), (2, 0));
    assert!(page.contains("b4") && !page.contains("b5"), "only what was asked for");

    // A bag is positive if one of its pictures has a bright square.
    let mut text = String::new();
    for bag in 0..12 {
        for instance in 0..2 {
            let bright = |at: usize| bag % 2 == 0 && instance == 1 && at / 16 < 5 && at % 16 < 5;
            let pixel = |at: usize| if bright(at) { 255 } else { (at * 31 + bag * 7 + instance * 3) % 60 };
            let pixels: Vec<String> = (0..256).map(|at| pixel(at).to_string()).collect();
            text += &format!("bag {bag},{},{}\n", (bag + 1) % 2, pixels.join(","));
        }
    }
    let header = (0..256).fold("bag,label".to_owned(), |text, at| text + &format!(",p{at}"));
    folder.write("pictures.csv", header + "\n" + &text);
    let size = ["--picture", "16x16"];
    let train = ["mil", "train", "pictures.csv", "-o", "p.safetensors", "--epochs", "3", "--validation", "3"];
    ok(&folder, &[&train[..], &size].concat());
    ok(&folder, &["mil", "explain", "p.safetensors", "pictures.csv", "-o", "p.html"]);
    assert_eq!(folder.read("p.html").matches("data:image/png").count(), 24);
}
