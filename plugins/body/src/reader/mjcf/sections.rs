//! Sections that are not parts of a model: each gives one finding.

use bunraku_document::Diagnostic;

use super::findings::short;
use super::model::ModelFile;
use super::view::View;

/// Notes what belongs to a scene, and warns of what is not simulated.
pub(super) fn note(file: &ModelFile<'_>) {
    let findings = file.findings;
    for element in file.root.all("option") {
        let view = View::new(element, Vec::new(), findings);
        let of_scene: Vec<String> = [("timestep", "time_step"), ("gravity", "gravity")]
            .into_iter()
            .filter_map(|(name, key)| {
                let text = view.text(name)?.split_ascii_whitespace().collect::<Vec<_>>();
                let value = if text.len() == 1 { text.concat() } else { format!("[ {} ]", text.join(", ")) };
                Some(format!("`{key}: {}`", short(&value)))
            })
            .collect();
        if !of_scene.is_empty() {
            let note = Diagnostic::note("mjcf-option", "time step and gravity belong to the scene, not to the model");
            let help = format!("write {} in the `simulation` of the scene", of_scene.join(" and "));
            findings.once("option", element, note.help(help));
        }
        let is_solver =
            |name: &str| !matches!(name, "timestep" | "gravity" | "wind" | "density" | "viscosity" | "magnetic");
        if let Some(attribute) = element.attributes.iter().find(|attribute| is_solver(&attribute.name)) {
            let message = "settings of MuJoCo's solvers and integrators are not used";
            findings.once_attribute("solver", element, &attribute.name, Diagnostic::note("mjcf-option", message));
        }
        for name in ["wind", "density", "viscosity"] {
            let Some(text) = view.text(name) else { continue };
            if text.split_ascii_whitespace().all(|word| word.parse() == Ok(0.0)) {
                continue;
            }
            let warning = Diagnostic::warning("mjcf-unsupported", "fluids do not act on bodies here");
            findings.once_attribute("fluid", element, name, warning);
        }
        if let Some(flag) = element.all("flag").next() {
            findings.once("flag", flag, Diagnostic::note("mjcf-option", "`<flag>`s of the simulation are not used"));
        }
    }
    for element in file.root.section("deformable") {
        let message = format!("`<{}>` is not simulated: links are rigid", element.tag);
        findings.once(&element.tag, element, Diagnostic::warning("mjcf-unsupported", message));
    }
    for element in file.root.section("extension") {
        let warning =
            Diagnostic::warning("mjcf-unsupported", "plugins of MuJoCo are not loaded: what they do is left out");
        findings.once("plugin", element, warning);
    }
    for element in file.root.section("asset") {
        let what = match element.tag.as_str() {
            "skin" => "skins are not drawn",
            "model" => "models as assets are not read",
            _ => continue,
        };
        findings.once(&element.tag, element, Diagnostic::warning("mjcf-unsupported", what));
    }
}
