use bunraku_document::closest;

/// A command that task files may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signature {
    /// Name in files.
    pub name: &'static str,
    /// Kind.
    pub kind: CommandKind,
    /// Formal parameters, in the order of the original.
    pub formals: &'static [Formal],
}

/// Kinds of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// `moveArm`: the tool moves on a straight line to a pose in the world.
    MoveArm,
    /// `moveBothArms`, in old files `move`: both tools move at once.
    MoveBothArms,
    /// `moveGripper`: the fingers move to a distance.
    MoveGripper,
    /// `moveGripperTest`: as `moveGripper`, with the distance that was reached as result.
    MoveGripperTest,
    /// `goInitial`: all joints move to the initial pose.
    GoInitial,
    /// `moveTorso`: the joint of the chest moves to an angle.
    MoveTorso,
    /// `moveHead`: the joints of the neck move to angles.
    MoveHead,
    /// `true` or `false`: does nothing and has this result.
    Constant(bool),
    /// A command that occurs in files but is not implemented.
    Unavailable,
}

/// A formal parameter of a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formal {
    /// Name.
    pub name: &'static str,
    /// Type.
    pub kind: FormalKind,
    /// Default value.
    pub default: Option<f64>,
}

/// Type of a formal parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormalKind {
    /// A number.
    Number,
    /// Two numbers: the first two of a 3-vector.
    Pair,
    /// A 3-vector.
    Vector3,
    /// An integer.
    Integer,
    /// The name of a parameter that receives a result, a number.
    OutNumber,
    /// The name of a parameter that receives a result, a pose.
    OutFrame,
}

impl FormalKind {
    /// Name in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Pair => "a 3-vector, of which two numbers count",
            Self::Vector3 => "a 3-vector",
            Self::Integer => "a whole number",
            Self::OutNumber => "the name of a parameter that is a number",
            Self::OutFrame => "the name of a parameter that is a pose",
        }
    }
}

const fn formal(name: &'static str, kind: FormalKind) -> Formal {
    Formal { name, kind, default: None }
}

const TIME: Formal = Formal { name: "tm", kind: FormalKind::Number, default: Some(1.0) };
const ARM: Formal = Formal { name: "armID", kind: FormalKind::Integer, default: Some(0.0) };
const GRIPPER: Formal = Formal { name: "gripperID", kind: FormalKind::Integer, default: Some(0.0) };
const WIDTH: Formal = formal("width", FormalKind::Number);

const BOTH_ARMS: &[Formal] = &[
    formal("leftHandXyz", FormalKind::Vector3),
    formal("leftHandRpy", FormalKind::Vector3),
    formal("rightHandXyz", FormalKind::Vector3),
    formal("rightHandRpy", FormalKind::Vector3),
    // The original reads it but does not use it.
    Formal { name: "torsoAngle", kind: FormalKind::Number, default: Some(0.0) },
    TIME,
];
const RECOGNIZE_NUMBER: &[Formal] =
    &[formal("object_id", FormalKind::Integer), formal("result", FormalKind::OutNumber)];

/// All commands of the public controllers, and the constants.
pub const COMMANDS: &[Signature] = &[
    Signature {
        name: "moveArm",
        kind: CommandKind::MoveArm,
        formals: &[formal("xyz", FormalKind::Vector3), formal("rpy", FormalKind::Vector3), TIME, ARM],
    },
    Signature { name: "moveBothArms", kind: CommandKind::MoveBothArms, formals: BOTH_ARMS },
    Signature { name: "move", kind: CommandKind::MoveBothArms, formals: BOTH_ARMS },
    Signature { name: "moveGripper", kind: CommandKind::MoveGripper, formals: &[WIDTH, TIME, GRIPPER] },
    Signature {
        name: "moveGripperTest",
        kind: CommandKind::MoveGripperTest,
        formals: &[WIDTH, TIME, GRIPPER, formal("result", FormalKind::OutNumber)],
    },
    Signature { name: "goInitial", kind: CommandKind::GoInitial, formals: &[TIME] },
    Signature {
        name: "moveTorso",
        kind: CommandKind::MoveTorso,
        formals: &[formal("angle", FormalKind::Number), TIME],
    },
    Signature { name: "moveHead", kind: CommandKind::MoveHead, formals: &[formal("angles", FormalKind::Pair), TIME] },
    Signature { name: "true", kind: CommandKind::Constant(true), formals: &[] },
    Signature { name: "false", kind: CommandKind::Constant(false), formals: &[] },
    Signature {
        name: "screw",
        kind: CommandKind::Unavailable,
        formals: &[formal("torque", FormalKind::Number), formal("max_depth", FormalKind::Number)],
    },
    Signature {
        name: "recognize",
        kind: CommandKind::Unavailable,
        formals: &[formal("object_id", FormalKind::Integer), formal("result", FormalKind::OutFrame)],
    },
    Signature { name: "recognize_double", kind: CommandKind::Unavailable, formals: RECOGNIZE_NUMBER },
    Signature { name: "recognize_int", kind: CommandKind::Unavailable, formals: RECOGNIZE_NUMBER },
];

/// The command with this name.
///
/// # Errors
/// The most similar name.
pub fn find(name: &str) -> Result<&'static Signature, String> {
    COMMANDS.iter().find(|command| command.name == name).ok_or_else(|| {
        match closest(name, COMMANDS.iter().map(|command| command.name)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                let names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
                format!("there are {}", names.join(", "))
            }
        }
    })
}
