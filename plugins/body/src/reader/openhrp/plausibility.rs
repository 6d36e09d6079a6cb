//! Warnings about implausible values, located at the fields.

use bunraku_document::Diagnostic;

use super::fields::Fields;
use super::links::Origin;
use super::place::Findings;
use crate::{Body, Implausibility, ImplausibilityKind};

pub(super) fn warn(body: &Body, origins: &[Origin], findings: &Findings<'_>) {
    for Implausibility { link, kind } in body.implausibilities() {
        let Some(origin) = origins.get(link.0) else { continue };
        let (of_segment, names) = names(&kind);
        let place = origin.segments.first().filter(|_| of_segment).unwrap_or(&origin.joint);
        let fields = Fields { place, findings };
        let name = names.iter().copied().find(|name| fields.is_given(name)).unwrap_or_default();
        fields.report(name, Diagnostic::warning(kind.code(), kind.to_string()).help(help(&kind)));
    }
}

/// Whether the finding is about a segment, and the fields concerned.
fn names(kind: &ImplausibilityKind) -> (bool, &'static [&'static str]) {
    match kind {
        ImplausibilityKind::AsymmetricInertia
        | ImplausibilityKind::InertiaNotPositive(_)
        | ImplausibilityKind::TriangleInequality(_) => (true, &["momentsOfInertia"]),
        ImplausibilityKind::NoMass | ImplausibilityKind::MassRatio { .. } => (true, &["mass"]),
        ImplausibilityKind::NegativeRotorInertia(_) => (false, &["rotorInertia", "equivalentInertia"]),
        ImplausibilityKind::GearEfficiency(_) => (false, &["gearEfficiency"]),
        ImplausibilityKind::AxisLength(_) => (false, &["jointAxis"]),
        ImplausibilityKind::CrossingLimits { what: "velocity", .. } => (false, &["lvlimit", "uvlimit"]),
        ImplausibilityKind::CrossingLimits { .. }
        | ImplausibilityKind::SingleValueRange(_)
        | ImplausibilityKind::InitialDisplacement { .. } => (false, &["llimit", "ulimit"]),
    }
}

fn help(kind: &ImplausibilityKind) -> &'static str {
    match kind {
        ImplausibilityKind::AsymmetricInertia => "the numbers are the rows of a symmetric matrix",
        other => other.help(),
    }
}
