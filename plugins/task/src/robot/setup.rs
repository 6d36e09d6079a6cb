use std::sync::Arc;

use bunraku_body::{Body, JointIndex, JointKind, LinkIndex, Range};
use bunraku_document::{Reporter, closest};
use nalgebra::Isometry3;

use super::{Arrival, FingerJoint, Gripper, GripperLaw, GripperMapping, InitialPose, RobotMapping};
use crate::inverse_kinematics::Chain;
use crate::model::{Origin, ToolId};

/// A mapping matched to its model, with indices instead of names.
#[derive(Clone, Debug)]
pub struct RobotSetup {
    /// The model.
    pub body: Arc<Body>,
    /// World pose of the root.
    pub root: Isometry3<f64>,
    /// Arms by number.
    pub tools: Vec<(ToolId, Tool)>,
    /// Grippers by number.
    pub grippers: Vec<(ToolId, Gripper)>,
    /// Displacements of all joints in the initial pose, rad or m.
    pub initial: Vec<f64>,
    /// When moves of a dynamic robot have arrived.
    pub arrival: Arrival,
    /// The joint of `moveTorso`.
    pub torso: Option<JointIndex>,
    /// The joints of `moveHead`, yaw and pitch.
    pub head: Option<[JointIndex; 2]>,
}

/// An arm.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Base link.
    pub base: LinkIndex,
    /// Link at the end.
    pub link: LinkIndex,
    /// Frame that moves to poses, in the frame of the link.
    pub offset: Isometry3<f64>,
    /// Joints between them.
    pub chain: Chain,
}

impl RobotSetup {
    /// Matches a mapping to its model. Findings go to `reporter`. `None` if at least one of them is an error.
    pub fn new(body: Arc<Body>, mapping: &RobotMapping, reporter: &Reporter) -> Option<Self> {
        let before = reporter.count(bunraku_document::Severity::Error);
        let names = Names { body: &body, reporter };
        let tool = |tool: &super::ToolMapping| {
            let link = names.link(&tool.link, &tool.origin)?;
            let base = tool.base.as_ref().map_or(Some(LinkIndex::ROOT), |base| names.link(base, &tool.origin))?;
            match Chain::new(&body, base, link, &tool.offset) {
                Ok(chain) => Some((tool.id, Tool { base, link, offset: tool.offset, chain })),
                Err(error) => {
                    let diagnostic = tool.origin.error("no-chain", format!("tool {}: {error}", tool.id));
                    reporter.report(
                        diagnostic.help("the base must be an ancestor of the tool, with movable joints between them"),
                    );
                    None
                }
            }
        };
        let gripper = |gripper: &GripperMapping| {
            let joint = |(name, law): &(String, GripperLaw)| {
                Some(FingerJoint { index: names.joint(name, &gripper.origin)?, law: law.clone() })
            };
            let joints: Vec<FingerJoint> = gripper.joints.iter().filter_map(joint).collect();
            names.check_widths(gripper, &joints);
            (gripper.id, Gripper { widths: gripper.widths, joints })
        };
        let tools = mapping.tools.iter().filter_map(tool).collect();
        let grippers = mapping.grippers.iter().map(gripper).collect();
        let torso = mapping.torso.as_ref().and_then(|(name, origin)| names.joint(name, origin));
        let head = mapping
            .head
            .as_ref()
            .and_then(|([yaw, pitch], origin)| Some([names.joint(yaw, origin)?, names.joint(pitch, origin)?]));
        let initial = names.initial(mapping);
        let root = mapping.root(&body.root().offset);
        let failed = reporter.count(bunraku_document::Severity::Error) > before;
        (!failed).then_some(Self { body, root, tools, grippers, initial, arrival: mapping.arrival, torso, head })
    }

    /// The arm with this number.
    pub fn tool(&self, id: ToolId) -> Option<&Tool> {
        self.tools.iter().find(|(number, _)| *number == id).map(|(_, tool)| tool)
    }

    /// The gripper with this number.
    pub fn gripper(&self, id: ToolId) -> Option<&Gripper> {
        self.grippers.iter().find(|(number, _)| *number == id).map(|(_, gripper)| gripper)
    }
}

/// The range of a joint, if a displacement (rad or m) is outside of it, so that no command may go there. The initial
/// displacement of the model is always allowed.
pub(super) fn exceeded_range(body: &Body, index: JointIndex, value: f64) -> Option<Range> {
    /// Tolerance at the ends of the range, rad or m.
    const SLACK: f64 = 1e-9;
    let joint = body.joint(index)?;
    let range = joint.displacement_range;
    let inside = value >= range.lower - SLACK && value <= range.upper + SLACK;
    (!inside && value != joint.initial_displacement).then_some(range)
}

/// A number rounded for a message.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}

/// Finds names in a model.
struct Names<'a> {
    body: &'a Body,
    reporter: &'a Reporter,
}

impl Names<'_> {
    fn link(&self, name: &str, origin: &Origin) -> Option<LinkIndex> {
        let found = self.body.find_link(name);
        if found.is_none() {
            let names = self.body.links().iter().map(|link| link.name.as_str());
            self.missing("link", name, closest(name, names), origin);
        }
        found
    }

    fn joint(&self, name: &str, origin: &Origin) -> Option<JointIndex> {
        let found = self.body.find_joint(name);
        if found.is_none() {
            let names = (0..self.body.num_joints()).map(|index| self.body.joint_name(JointIndex(index)));
            self.missing("joint", name, closest(name, names), origin);
        }
        found
    }

    fn missing(&self, what: &str, name: &str, meant: Option<&str>, origin: &Origin) {
        let code = if what == "link" { "unknown-link" } else { "unknown-joint" };
        let message = format!("the model `{}` has no {what} `{name}`", self.body.name);
        self.reporter.report(origin.error(code, message).help(match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("`bunraku info` of the model lists its {what}s"),
        }));
    }

    /// Warns of widths that require displacements outside a joint's range: a task that uses them fails.
    fn check_widths(&self, gripper: &GripperMapping, joints: &[FingerJoint]) {
        let [least, most] = gripper.widths;
        for finger in joints {
            let mut widths = vec![least, most];
            if let GripperLaw::Table(entries) = &finger.law {
                widths.extend(entries.iter().map(|(width, _)| *width).filter(|width| (least..=most).contains(width)));
            }
            for width in widths {
                let value = finger.law.displacement(width);
                let Some(range) = exceeded_range(self.body, finger.index, value) else { continue };
                let message = format!(
                    "gripper {}: a width of {width} m needs `{}` at {}, and its range is {} to {} (rad or m)",
                    gripper.id,
                    self.body.joint_name(finger.index),
                    rounded(value),
                    rounded(range.lower),
                    rounded(range.upper)
                );
                let diagnostic = gripper.widths_origin.warning("width-beyond-joint", message);
                self.reporter
                    .report(diagnostic.help("narrow `range`, or correct what turns widths into displacements"));
                break;
            }
        }
    }

    /// Warns of a joint of the initial pose that is outside its range: `goInitial` fails.
    fn check_initial(&self, index: JointIndex, value: f64, origin: &Origin) {
        let Some(range) = exceeded_range(self.body, index, value) else { return };
        let message = format!(
            "the initial pose has `{}` at {}, and its range is {} to {} (rad or m)",
            self.body.joint_name(index),
            rounded(value),
            rounded(range.lower),
            rounded(range.upper)
        );
        let diagnostic = origin.warning("initial-pose-beyond-joint", message);
        self.reporter.report(diagnostic.help("`goInitial` cannot go there: choose a pose within the ranges"));
    }

    fn initial(&self, mapping: &RobotMapping) -> Vec<f64> {
        let mut initial = self.body.standard_displacements();
        match &mapping.initial {
            InitialPose::StandardPose => {
                if self.body.standard_pose.is_none() {
                    let message = format!("the model `{}` has no standard pose", self.body.name);
                    let diagnostic = mapping.origin.warning("no-standard-pose", message);
                    let help = "the initial displacements of the model count; write `initial: [ … ]` for another pose";
                    self.reporter.report(diagnostic.help(help));
                }
            }
            InitialPose::List(values, origin) => {
                if values.len() != initial.len() {
                    let message = format!("the pose has {} joints, the model {}", values.len(), initial.len());
                    self.reporter.report(origin.error("wrong-length", message).help("one a joint, degrees or m"));
                }
                for (index, (slot, value)) in initial.iter_mut().zip(values).enumerate() {
                    *slot = self.in_units(JointIndex(index), *value);
                    self.check_initial(JointIndex(index), *slot, origin);
                }
            }
            InitialPose::ByJoint(values) => {
                for (name, value, origin) in values {
                    if let Some(index) = self.joint(name, origin)
                        && let Some(slot) = initial.get_mut(index.0)
                    {
                        *slot = self.in_units(index, *value);
                        self.check_initial(index, *slot, origin);
                    }
                }
            }
        }
        initial
    }

    /// Converts degrees to rad; metres are unchanged.
    fn in_units(&self, joint: JointIndex, value: f64) -> f64 {
        match self.body.joint(joint).map(|joint| joint.kind) {
            Some(JointKind::Prismatic) => value,
            _ => value.to_radians(),
        }
    }
}
