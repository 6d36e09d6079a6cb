//! Checks of the expressions of features of model masters.

use bunraku_document::Reporter;

use super::expressions::located;
use crate::expression::ValueType;
use crate::model::Task;
use crate::variables::check_feature;

pub(super) fn check(task: &Task, reporter: &Reporter) {
    for master in &task.masters {
        for feature in &master.features {
            let what = format!("feature `{}` of `{}`", feature.name, master.name);
            match check_feature(&feature.value) {
                Ok(ValueType::Vector6) => {}
                Ok(found) => {
                    let message = format!("{what} must be a 6-vector, it is {}", found.as_str());
                    let help = "write `origin + [x, y, z, roll, pitch, yaw]`";
                    reporter.report(feature.value.origin.error("wrong-type", message).help(help));
                }
                Err(error) => reporter.report(located(&error, &feature.value, &what)),
            }
        }
    }
}
