//! Messages of the program if no window can be opened.

use crate::common::{bunraku, stderr};

const SCENE: &str = "assets/scenes/falling_box.scene.yaml";

#[test]
fn without_a_display_the_program_names_commands_that_need_none() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_string_lossy().into_owned();
    for arguments in [vec!["view", SCENE], vec!["run", SCENE, "--view", "--out", &folder]] {
        for display in ["", ":987"] {
            let mut command = bunraku();
            command.args(&arguments).env_remove("WAYLAND_DISPLAY");
            let output = match display {
                "" => command.env_remove("DISPLAY").output().unwrap(),
                display => command.env("DISPLAY", display).output().unwrap(),
            };
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{text}");
            assert!(text.contains("no window can be opened") && text.contains("without `--view`"), "{text}");
            assert!(!text.contains("panicked"), "{text}");
        }
    }
}

#[test]
fn options_of_the_window_go_with_it() {
    let output = bunraku().args(["run", SCENE, "--dark"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--view"), "{}", stderr(&output));
}

#[test]
fn pictures_of_a_run_without_a_window_are_drawn_frame_by_frame() {
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name);
    let mut command = bunraku();
    command.args(["run", SCENE, "--duration", "0.2", "--fps", "20", "--frame-size", "80x60", "--out"]).arg(path("run"));
    let output = command.arg("--frames").arg(path("frames")).arg("--film").arg(path("run.gif")).output().unwrap();
    let text = stderr(&output);
    if text.contains("there is nothing to draw with") {
        return bunraku_test_support::skip(bunraku_test_support::Needed::Graphics, text);
    }
    assert!(output.status.success(), "{text}");
    let mut frames: Vec<_> = std::fs::read_dir(path("frames")).unwrap().map(|entry| entry.unwrap().path()).collect();
    frames.sort();
    assert_eq!(frames.len(), 5);
    let [first, last] = [0, 4].map(|frame: usize| image::open(&frames[frame]).unwrap().to_rgb8());
    assert!(first.dimensions() == (80, 60) && first != last, "the box falls");
    assert!(std::fs::read(path("run.gif")).unwrap().starts_with(b"GIF89a"));
    assert!(path("run/Box.seq").is_file());
}

#[test]
fn films_are_animated_pngs_or_written_by_ffmpeg() {
    let out = tempfile::tempdir().unwrap();
    let path = |name: &str| out.path().join(name);
    let film = |name: &str, programs: &std::path::Path| {
        let mut command = bunraku();
        command.args(["run", SCENE, "--duration", "0.2", "--fps", "20", "--frame-size", "80x60", "--out"]);
        command.arg(path(&format!("out_{name}"))).arg("--film").arg(path(name)).env("PATH", programs).output().unwrap()
    };
    let output = film("run.png", out.path());
    if stderr(&output).contains("there is nothing to draw with") {
        return bunraku_test_support::skip(bunraku_test_support::Needed::Graphics, stderr(&output));
    }
    assert!(output.status.success(), "{}", stderr(&output));
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path("run.png")).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    assert_eq!(reader.info().animation_control.unwrap().num_frames, 5);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    for _ in 0..5 {
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(reader.info().frame_control.unwrap().delay_num, 50, "ms");
    }

    let output = film("none.mp4", out.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("ffmpeg cannot be started"), "{}", stderr(&output));
    let output = film("run.avi", out.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("a film ends in"), "{}", stderr(&output));

    // In place of ffmpeg: writes what it reads into the file of its last argument.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let script = "#!/bin/sh\nfor last; do :; done\n/bin/cat > \"$last\"\n[ \"$last\" != \"${last%bad.mp4}\" ] && { echo broken >&2; exit 3; }\nexit 0\n";
        std::fs::write(path("ffmpeg"), script).unwrap();
        std::fs::set_permissions(path("ffmpeg"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let output = film("run.mp4", out.path());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(std::fs::metadata(path("run.mp4")).unwrap().len(), 5 * 80 * 60 * 4);
        let output = film("bad.mp4", out.path());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("ffmpeg has ended with exit status: 3: broken"), "{}", stderr(&output));
    }
}

#[test]
fn a_task_is_shown_while_it_runs_and_recorded_as_without_a_window() {
    let out = tempfile::tempdir().unwrap();
    let run = |folder: &str| {
        let mut command = bunraku();
        command.args([
            "task",
            "run",
            "assets/tasks/pick_place.yaml",
            "--scene",
            "assets/scenes/arm.scene.yaml",
            "--json",
        ]);
        command.arg("--out").arg(out.path().join(folder));
        command
    };
    assert!(run("plain").output().unwrap().status.success());
    let picture = out.path().join("task.png");
    let output = run("window").arg("--view").args(["--at", "60", "--picture"]).arg(&picture).output().unwrap();
    let text = stderr(&output);
    if text.contains("no window can be opened") {
        return bunraku_test_support::skip(bunraku_test_support::Needed::Display, text);
    }
    assert!(output.status.success(), "{text}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["task"]["commands"], 10);
    assert!(summary["speed"]["microseconds_per_step"].as_f64().unwrap() > 0.0, "{summary}");
    assert!(summary["speed"]["first_picture"].as_f64().unwrap() > 0.0, "{summary}");
    assert!(image::open(&picture).unwrap().to_rgb8().width() > 800);
    for file in ["Arm.seq", "picked_obj.seq", "summary.json"] {
        let [plain, shown] =
            ["plain", "window"].map(|folder| std::fs::read(out.path().join(folder).join(file)).unwrap());
        assert!(plain == shown, "{file}");
    }
}

/// Also while it is paused, as at its start.
#[test]
#[cfg(target_os = "linux")]
fn a_window_that_is_interrupted_finishes_its_recordings() {
    use std::process::{Command, Stdio};

    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("run");
    let mut command = bunraku();
    command.args(["run", SCENE, "--view", "--out"]).arg(&folder).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let minds_signals = || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
        mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & (1 << 14) != 0)
    };
    while !minds_signals() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let _ = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status();
    let output = child.wait_with_output().unwrap();
    let text = stderr(&output);
    if text.contains("no window can be opened") {
        return bunraku_test_support::skip(bunraku_test_support::Needed::Display, text);
    }
    assert_eq!(output.status.code(), Some(143), "{text}");
    assert!(text.contains("interrupted at t = 0.0000 s"), "{text}");
    let summary = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["failure"], "interrupted");
    assert!(!folder.join("Box.seq.partial").exists());
}

/// The right half of a picture of a model in the window, with a joint of it moved; `None` without a display.
fn picture_of_arm(folder: &std::path::Path, angle: &str) -> Option<image::RgbImage> {
    let picture = folder.join(format!("arm{angle}.png"));
    let joint = format!("Arm/UPPER_ARM={angle}");
    let mut command = bunraku();
    command.args(["view", "assets/models/arm.body", "--joint", &joint, "--camera", "0", "-3", "0.8", "0", "0", "0.6"]);
    let output = command.arg("--picture").arg(&picture).output().unwrap();
    let text = stderr(&output);
    if text.contains("no window can be opened") {
        bunraku_test_support::skip(bunraku_test_support::Needed::Display, text);
        return None;
    }
    assert!(output.status.success(), "{text}");
    Some(image::open(&picture).unwrap().to_rgb8())
}

#[test]
fn a_joint_that_is_moved_is_drawn_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (Some(upright), Some(leaning)) = (picture_of_arm(folder.path(), "0"), picture_of_arm(folder.path(), "60"))
    else {
        return;
    };
    // In the middle of the view, where the forearm is in one of the pictures only.
    let (width, height) = upright.dimensions();
    let view = (width * 3 / 10..width * 7 / 10).flat_map(|x| (height / 8..height * 6 / 10).map(move |y| (x, y)));
    let differs = |(x, y): &(u32, u32)| {
        let [one, other] = [&upright, &leaning].map(|picture| picture.get_pixel(*x, *y).0);
        (0..3).any(|color| one[color].abs_diff(other[color]) > 60)
    };
    let different = view.filter(differs).count();
    assert!(different > 2000, "{different} pixels of {width} × {height}");
}

/// Number of pixels of about this colour.
fn pixels_of(picture: &image::RgbImage, color: [u8; 3]) -> usize {
    let is_near = |pixel: &image::Rgb<u8>| pixel.0.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 24);
    picture.pixels().filter(|pixel| is_near(pixel)).count()
}

#[test]
fn the_support_polygon_and_the_zero_moment_point_are_drawn_with_the_center_of_mass() {
    let out = tempfile::tempdir().unwrap();
    let found = [false, true].map(|shows| {
        let picture = out.path().join(format!("{shows}.png"));
        let mut command = bunraku();
        command
            .args(["view", "assets/scenes/legs.scene.yaml", "--at", "0.3", "--from", "top", "--picture"])
            .arg(&picture);
        if shows {
            command.args(["--show", "centre-of-mass"]);
        }
        let output = command.output().unwrap();
        let text = stderr(&output);
        if text.contains("no window can be opened") {
            bunraku_test_support::skip(bunraku_test_support::Needed::Display, text);
            return None;
        }
        assert!(output.status.success(), "{text}");
        let picture = image::open(&picture).unwrap().to_rgb8();
        // The border of the polygon and the cross of the point.
        Some([[13, 166, 179], [204, 26, 191]].map(|color| pixels_of(&picture, color)))
    });
    let [Some(without), Some(with)] = found else { return };
    assert!(without.iter().zip(with).all(|(without, with)| *without < 20 && with > 60), "{without:?} {with:?}");
}
