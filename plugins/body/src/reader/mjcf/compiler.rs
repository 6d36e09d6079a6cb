//! `<compiler>`: how the rest of the file is to be read.

use bunraku_document::Diagnostic;

use super::element::Element;
use super::findings::{Findings, short};
use super::view::View;

/// Where the inertia of bodies comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InertiaFromGeom {
    Never,
    Always,
    /// Where a body has no `<inertial>`.
    Auto,
}

/// Settings of all `<compiler>` elements, the last of each.
#[derive(Debug)]
pub(super) struct Compiler {
    pub(super) autolimits: bool,
    /// Whether angles are in radian.
    pub(super) radian: bool,
    /// Axes of Euler angles.
    pub(super) euler: [char; 3],
    pub(super) meshdir: String,
    pub(super) texturedir: String,
    pub(super) strippath: bool,
    pub(super) inertia_from_geom: InertiaFromGeom,
    pub(super) inertia_groups: [i64; 2],
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    pub(super) balance_inertia: bool,
    pub(super) total_mass: Option<f64>,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            autolimits: true,
            radian: false,
            euler: ['x', 'y', 'z'],
            meshdir: String::new(),
            texturedir: String::new(),
            strippath: false,
            inertia_from_geom: InertiaFromGeom::Auto,
            inertia_groups: [0, 5],
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: None,
        }
    }
}

impl Compiler {
    pub(super) fn read(root: &Element, findings: &Findings<'_>) -> Self {
        let mut compiler = Self::default();
        for element in root.all("compiler") {
            compiler.add(element, findings);
        }
        compiler
    }

    fn add(&mut self, element: &Element, findings: &Findings<'_>) {
        let view = View::new(element, Vec::new(), findings);
        let set = |slot: &mut bool, name: &str| *slot = view.flag(name).unwrap_or(*slot);
        set(&mut self.autolimits, "autolimits");
        set(&mut self.strippath, "strippath");
        set(&mut self.balance_inertia, "balanceinertia");
        self.radian = read_word(&view, "angle", &[("degree", false), ("radian", true)]).unwrap_or(self.radian);
        let sources =
            [("false", InertiaFromGeom::Never), ("true", InertiaFromGeom::Always), ("auto", InertiaFromGeom::Auto)];
        self.inertia_from_geom = read_word(&view, "inertiafromgeom", &sources).unwrap_or(self.inertia_from_geom);
        if read_word(&view, "coordinate", &[("local", false), ("global", true)]) == Some(true) {
            let error = Diagnostic::error("global-coordinates", "global coordinates are not read");
            let help = "load and save the model with MuJoCo 2.3.3, which writes local ones; later versions refuse them";
            view.report("coordinate", error.help(help));
        }
        if let Some(text) = view.text("eulerseq") {
            let letters: Vec<char> = text.chars().collect();
            match <[char; 3]>::try_from(letters) {
                Ok(letters) if letters.iter().all(|letter| "xyzXYZ".contains(*letter)) => self.euler = letters,
                _ => {
                    let error = Diagnostic::error("expected", format!("`{}` is no sequence of axes", short(text)));
                    view.report("eulerseq", error.help("write three of the letters x, y, z, X, Y and Z"));
                }
            }
        }
        let mut directory = |slot: fn(&mut Self) -> &mut String, names: [&str; 2]| {
            // `assetdir` stands for both.
            if let Some(name) = names.iter().find_map(|name| view.text(name)) {
                *slot(self) = name.to_owned();
            }
        };
        directory(|compiler| &mut compiler.meshdir, ["meshdir", "assetdir"]);
        directory(|compiler| &mut compiler.texturedir, ["texturedir", "assetdir"]);
        if let Some([first, last]) = view.array::<2>("inertiagrouprange") {
            // Groups are small whole numbers.
            #[allow(clippy::cast_possible_truncation)]
            let range = [first as i64, last as i64];
            self.inertia_groups = range;
        }
        self.bound_mass = view.number("boundmass").unwrap_or(self.bound_mass);
        self.bound_inertia = view.number("boundinertia").unwrap_or(self.bound_inertia);
        if let Some(mass) = view.number("settotalmass") {
            self.total_mass = Some(mass).filter(|mass| *mass > 0.0);
        }
    }

    /// An angle of the file in radian.
    pub(super) fn angle(&self, angle: f64) -> f64 {
        if self.radian { angle } else { angle.to_radians() }
    }
}

/// Meaning of the word of an attribute; another word is an error.
fn read_word<T: Copy>(view: &View<'_>, name: &str, words: &[(&str, T)]) -> Option<T> {
    let text = view.text(name)?;
    let found = words.iter().find(|(word, _)| *word == text);
    if found.is_none() {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let error = Diagnostic::error("expected", format!("`{}` is no `{name}`", short(text)));
        view.report(name, error.help(format!("write one of {}", known.join(", "))));
    }
    found.map(|(_, meaning)| *meaning)
}
