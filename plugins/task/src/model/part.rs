use super::{ExpressionText, Frame, MasterName, ModelName, Origin, ParameterName};

/// Model in a task: a workpiece, the end of an arm, the environment.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPart {
    /// Name in expressions.
    pub name: ModelName,
    /// Label for display, if the file has one beside the name.
    pub label: Option<String>,
    /// The master it is an instance of.
    pub master: MasterName,
    /// Role in the task.
    pub role: ModelRole,
    /// Pose in the world at the beginning of the task.
    pub pose: Frame,
    /// Whether it is not displayed.
    pub hidden: bool,
    /// Location in the file.
    pub origin: Origin,
}

/// Role of a model in a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelRole {
    /// Environment.
    Environment,
    /// End of an arm.
    EndEffector,
    /// Workpiece.
    Work,
}

impl ModelRole {
    /// Name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Environment => "Env",
            Self::EndEffector => "E.E.",
            Self::Work => "Work",
        }
    }
}

/// Master of models: a model file and named frames on it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelMaster {
    /// Its name.
    pub name: MasterName,
    /// Model file, relative to the task file; may be empty.
    pub file: String,
    /// Image of it, relative to the task file.
    pub image: Option<String>,
    /// Frames for bound parameters, by index.
    pub features: Vec<Feature>,
    /// Location in the file.
    pub origin: Origin,
}

/// A frame on a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Expression in which `origin` is the pose of the model.
    pub value: ExpressionText,
}

/// Parameter used in the arguments of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name in expressions.
    pub name: ParameterName,
    /// Label for display.
    pub label: String,
    /// Value or binding.
    pub value: ParameterValue,
    /// Unit of measurement, for display.
    pub unit: Option<String>,
    /// Whether it is hidden from users who adjust the task.
    pub hidden: bool,
    /// Location in the file.
    pub origin: Origin,
}

/// Value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterValue {
    /// Integer.
    Integer(i32),
    /// Number.
    Double(f64),
    /// 3-vector; in files before 2019.
    Vector([f64; 3]),
    /// Pose.
    Frame(Frame),
    /// Pose of a model, or of a feature on it, at the time a command begins.
    Bound {
        /// The model.
        model: ModelName,
        /// Index of the feature in the master of the model; `None` is the origin of the model.
        feature: Option<usize>,
        /// Copy of the pose in the file, which is not used.
        remembered: Option<Frame>,
    },
}
