//! Completions, manual pages and crates: requirements for installation.

use std::fs;
use std::process::Command;

use bunraku_test_support::TestFolder;

use crate::common::{bunraku, stderr, stdout};

#[test]
fn completions_contain_all_verbs() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = bunraku().args(["completions", shell]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        for word in ["picture", "rerun", "angle-tolerance", "max-states"] {
            assert!(stdout(&output).contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(bunraku().args(["completions", "tcsh"]).output().unwrap().status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn bash_accepts_its_completions() {
    let Ok(found) = Command::new("bash").arg("--version").output() else { return };
    assert!(found.status.success());
    let script = stdout(&bunraku().args(["completions", "bash"]).output().unwrap());
    let question = "\nCOMP_WORDS=(bunraku pi); COMP_CWORD=1; _bunraku bunraku pi bunraku; echo \"${COMPREPLY[@]}\"\n";
    let output = Command::new("bash").arg("-c").arg(script + question).output().unwrap();
    assert_eq!(stdout(&output).trim(), "picture", "{}", stderr(&output));
}

#[test]
fn each_verb_has_a_manual_page() {
    let folder = TestFolder::new();
    let output = bunraku().arg("man").arg("--out").arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for page in ["bunraku", "bunraku-run", "bunraku-picture", "bunraku-rerun", "bunraku-task-run"] {
        let text = fs::read_to_string(folder.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".TH") && text.contains(".SH SYNOPSIS"), "{page}");
    }
    assert!(stdout(&bunraku().arg("man").output().unwrap()).contains(".TH bunraku 1"));
}

/// Requirements of the registry for each published crate.
#[test]
fn crates_meet_the_requirements_of_the_registry() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let mut published = 0;
    for package in packages.iter().filter(|package| package["publish"].is_null()) {
        published += 1;
        let name = package["name"].as_str().unwrap();
        assert!(package["description"].is_string() && package["license"].is_string(), "{name}");
        assert!(package["keywords"].as_array().unwrap().len() == 5, "{name}");
        let directory = std::path::Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(directory.join(licence).is_file(), "{name} lacks {licence}");
        }
        // A path dependency needs a version, except for tests.
        for dependency in
            package["dependencies"].as_array().unwrap().iter().filter(|dependency| dependency["path"].is_string())
        {
            let has_version = dependency["req"] != "*";
            assert!(
                has_version || dependency["kind"] == "dev",
                "{name} depends on {} without a version",
                dependency["name"]
            );
        }
    }
    assert_eq!(published, 15);
}
