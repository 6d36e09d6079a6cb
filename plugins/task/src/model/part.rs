use super::{ExpressionText, Frame, MasterName, ModelName, Origin, ParameterName};

/// A model that takes part in a task: a workpiece, the end of an arm, the surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPart {
    /// Its name in expressions.
    pub name: ModelName,
    /// What is shown to people, where the file has a label beside the name.
    pub label: Option<String>,
    /// What it is an instance of.
    pub master: MasterName,
    /// Its part in the task.
    pub role: ModelRole,
    /// Its pose in the world when the task begins.
    pub pose: Frame,
    /// Whether it is left out of pictures.
    pub hidden: bool,
    /// Where it was read.
    pub origin: Origin,
}

/// What a model is to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelRole {
    /// Surroundings.
    Environment,
    /// The end of an arm.
    EndEffector,
    /// Something to be worked on.
    Work,
}

impl ModelRole {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "Env",
            Self::EndEffector => "E.E.",
            Self::Work => "Work",
        }
    }
}

/// What models are instances of: a model file and named frames on it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMaster {
    /// Its name.
    pub name: MasterName,
    /// Model file, relative to the task file; empty if the file names none.
    pub file: String,
    /// A picture of it, relative to the task file.
    pub image: Option<String>,
    /// Frames that parameters may be bound to, by their number.
    pub features: Vec<Feature>,
    /// Where it was read.
    pub origin: Origin,
}

/// A frame on a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// An expression in which `origin` is the pose of the model.
    pub value: ExpressionText,
}

/// A value that the arguments of a task depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in expressions.
    pub name: ParameterName,
    /// What is shown to people.
    pub label: String,
    /// Its value, or what gives it.
    pub value: ParameterValue,
    /// Unit of measurement, for people.
    pub unit: Option<String>,
    /// Whether it is hidden from people who adjust the task.
    pub hidden: bool,
    /// Where it was read.
    pub origin: Origin,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// A whole number.
    Integer(i32),
    /// A number.
    Double(f64),
    /// A 3-vector; files before 2019 have them.
    Vector([f64; 3]),
    /// A pose.
    Frame(Frame),
    /// The pose of a model, or of a feature on it, at the moment a command begins.
    Bound {
        /// The model.
        model: ModelName,
        /// Number of the feature in the master of the model; `None` is the origin of the model.
        feature: Option<usize>,
        /// The copy of the pose that stands in the file, which nobody uses.
        remembered: Option<Frame>,
    },
}
