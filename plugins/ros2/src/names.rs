//! Names of topics, services and types in DDS, as ROS 2's middlewares map them.

use bunraku_sensors::log::topic_name;

use crate::Ros2Error;

/// Topic of DDS for a topic of ROS 2, such as `/clock`.
pub fn dds_topic(topic: &str) -> String {
    format!("rt{topic}")
}

/// Type of DDS for a type of ROS 2, such as `sensor_msgs/msg/Imu`.
pub fn dds_type(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((package, message)) => format!("{}::dds_::{message}_", package.replace('/', "::")),
        None => name.to_owned(),
    }
}

/// Names of the two topics of a service, and of their types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceNames {
    pub request: String,
    pub reply: String,
    pub request_type: String,
    pub reply_type: String,
}

impl ServiceNames {
    /// Of a service such as `/step_simulation` of the type `simulation_interfaces/srv/StepSimulation`.
    pub fn new(service: &str, kind: &str) -> Self {
        Self {
            request: format!("rq{service}Request"),
            reply: format!("rr{service}Reply"),
            request_type: dds_type(&format!("{kind}_Request")),
            reply_type: dds_type(&format!("{kind}_Response")),
        }
    }
}

/// A namespace with a slash before each of its names; empty for that of the root.
///
/// # Errors
/// If ROS 2 does not allow it.
pub fn namespace(text: &str) -> Result<String, Ros2Error> {
    let names: Vec<&str> = text.split('/').filter(|name| !name.is_empty()).collect();
    let plain: String = names.iter().map(|name| format!("/{name}")).collect();
    if topic_name(&plain) == plain { Ok(plain) } else { Err(Ros2Error::Namespace(text.to_owned())) }
}

/// A topic in a namespace. Time and poses are those of all robots, so they stay outside.
pub fn in_namespace(namespace: &str, topic: &str) -> String {
    match topic {
        "/clock" | "/tf" | "/tf_static" => topic.to_owned(),
        _ => format!("{namespace}{topic}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_middlewares() {
        assert_eq!(dds_topic("/Arm/joint_states"), "rt/Arm/joint_states");
        assert_eq!(dds_type("sensor_msgs/msg/JointState"), "sensor_msgs::msg::dds_::JointState_");
        let names = ServiceNames::new("/a/step_simulation", "simulation_interfaces/srv/StepSimulation");
        assert_eq!(names.request, "rq/a/step_simulationRequest");
        assert_eq!(names.reply, "rr/a/step_simulationReply");
        assert_eq!(names.request_type, "simulation_interfaces::srv::dds_::StepSimulation_Request_");
        assert_eq!(names.reply_type, "simulation_interfaces::srv::dds_::StepSimulation_Response_");
    }

    #[test]
    fn namespaces_are_checked() {
        assert_eq!(namespace("").ok().as_deref(), Some(""));
        assert_eq!(namespace("/lab/one/").ok().as_deref(), Some("/lab/one"));
        for bad in ["1st", "a b", "a__b", "../x", "$(x)", "a/ü"] {
            assert!(namespace(bad).is_err(), "{bad}");
        }
        for common in ["/clock", "/tf", "/tf_static"] {
            assert_eq!(in_namespace("/lab", common), common);
        }
        assert_eq!(in_namespace("/lab", "/Rover/imu"), "/lab/Rover/imu");
    }
}
