//! The collision shapes of the meshes of a body.

use bunraku_body::{Body, CollisionShape, Drive, LinkIndex};
use bunraku_document::{Diagnostic, Reporter, Value, closest};
use bunraku_physics::{HullFinding, hull_findings};

use super::words::read_word;

const WHAT: &str = "what meshes are to collision detection";

/// Reads `collision_shape`: a word for all links, or a mapping by link name. It overrides the model.
pub(super) fn read(node: Value<'_>, body: &mut Body, reporter: &Reporter) {
    let Some(entries) = node.entries() else {
        if let Some(shape) = reporter.keep(read_word(node, WHAT, &CollisionShape::WORDS)) {
            (0..body.links().len()).for_each(|link| body.set_collision_shape(LinkIndex(link), shape));
        }
        return;
    };
    for (name, span, value) in entries {
        let Some(link) = body.find_link(name) else {
            let diagnostic = node.error("unknown-link", format!("`{}` has no link `{name}`", body.name));
            let diagnostic = diagnostic.at(value.source(), span);
            reporter.report(match closest(name, body.links().iter().map(|link| link.name.as_str())) {
                Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
                None => diagnostic,
            });
            continue;
        };
        if let Some(shape) = reporter.keep(read_word(value, WHAT, &CollisionShape::WORDS)) {
            body.set_collision_shape(link, shape);
        }
    }
}

/// Reports moving links whose hulls are much larger than their meshes.
pub(super) fn report(place: Value<'_>, name: &str, body: &Body, drive: Drive, reporter: &Reporter) {
    if drive != Drive::Static
        && let Some(diagnostic) = larger_hulls(name, body)
    {
        reporter.report(diagnostic.at(place.source(), place.span()));
    }
}

/// A warning about the moving links of a body that collide as convex hulls larger than their meshes by more than
/// [`LARGER_HULL`](bunraku_physics::LARGER_HULL); `None` if no link does.
pub fn larger_hulls(name: &str, body: &Body) -> Option<Diagnostic> {
    let mut findings = hull_findings(body);
    findings.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let HullFinding { link, ratio } = *findings.first()?;
    let others = match findings.len() {
        1 => String::new(),
        2 => " (so does one more link)".to_owned(),
        many => format!(" (so do {} more links)", many - 1),
    };
    let message = format!(
        "link `{}` of `{name}` collides as the convex hull of its mesh, {ratio:.1} times its volume: holes and hollows are filled{others}",
        body.link(link).name
    );
    let help = "`collision_shape: parts` cuts meshes into convex parts, `mesh` takes their triangles, `hull` accepts the hull; a key of \
                bodies of scenes, by link name there, and of links of models";
    Some(Diagnostic::warning("larger-hull", message).help(help))
}
