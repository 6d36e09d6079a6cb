use super::{
    MasterName, ModelMaster, ModelName, ModelPart, Origin, Parameter, ParameterName, ParameterValue, State, StateId,
    Transition,
};

/// A task: a state machine of robot commands whose arguments are expressions over parameters and poses of models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// Its name; never empty in a sound task.
    pub name: String,
    /// What it is for.
    pub comment: String,
    /// Models in the order of the file.
    pub models: Vec<ModelPart>,
    /// States in the order of the file.
    pub states: Vec<State>,
    /// Transitions in the order of the file.
    pub transitions: Vec<Transition>,
    /// Parameters in the order of the file.
    pub parameters: Vec<Parameter>,
    /// Files for people: videos, drawings; relative to the task file.
    pub files: Vec<Attached>,
    /// Pictures for people; relative to the task file.
    pub images: Vec<Attached>,
    /// What the models are instances of.
    pub masters: Vec<ModelMaster>,
    /// Where it was read.
    pub origin: Origin,
}

/// A file that goes with a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Attached {
    /// Its path, relative to the task file.
    pub path: String,
    /// Where it was read.
    pub origin: Origin,
}

impl Task {
    /// The state with this number.
    pub fn state(&self, id: StateId) -> Option<&State> {
        self.states.iter().find(|state| state.id == id)
    }

    /// The model with this name.
    pub fn model(&self, name: &ModelName) -> Option<&ModelPart> {
        self.models.iter().find(|model| model.name == *name)
    }

    /// The master with this name.
    pub fn master(&self, name: &MasterName) -> Option<&ModelMaster> {
        self.masters.iter().find(|master| master.name == *name)
    }

    /// The parameter with this name.
    pub fn parameter(&self, name: &ParameterName) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == *name)
    }

    /// The ways out of a state.
    pub fn transitions_from(&self, id: StateId) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter(move |transition| transition.source == id)
    }

    /// Sets a parameter, for those who adjust a task before it runs. False if there is none with this name.
    pub fn set_parameter(&mut self, name: &ParameterName, value: ParameterValue) -> bool {
        match self.parameters.iter_mut().find(|parameter| parameter.name == *name) {
            Some(parameter) => {
                parameter.value = value;
                true
            }
            None => false,
        }
    }
}
