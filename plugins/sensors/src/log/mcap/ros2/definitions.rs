//! Definitions of ROS 2's message types: names and types of their fields, as of Humble to Kilted. The file contains
//! them, so that readers need no installation of ROS.

use std::collections::BTreeSet;

/// Name of each type, and its fields.
const TYPES: [(&str, &str); 29] = [
    ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"),
    ("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"),
    ("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"),
    ("geometry_msgs/Quaternion", "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n"),
    ("geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"),
    (
        "geometry_msgs/TransformStamped",
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
    ),
    ("geometry_msgs/Wrench", "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n"),
    ("geometry_msgs/WrenchStamped", "std_msgs/Header header\ngeometry_msgs/Wrench wrench\n"),
    ("geometry_msgs/Vector3Stamped", "std_msgs/Header header\ngeometry_msgs/Vector3 vector\n"),
    ("geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"),
    ("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"),
    ("geometry_msgs/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance\n"),
    ("geometry_msgs/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n"),
    ("geometry_msgs/TwistWithCovariance", "geometry_msgs/Twist twist\nfloat64[36] covariance\n"),
    (
        "nav_msgs/Odometry",
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n\
         geometry_msgs/TwistWithCovariance twist\n",
    ),
    ("tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms\n"),
    ("rosgraph_msgs/Clock", "builtin_interfaces/Time clock\n"),
    (
        "sensor_msgs/JointState",
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
    ),
    (
        "sensor_msgs/Imu",
        "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n\
         geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n\
         geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n",
    ),
    (
        "sensor_msgs/LaserScan",
        "std_msgs/Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\n\
         float32 time_increment\nfloat32 scan_time\nfloat32 range_min\nfloat32 range_max\nfloat32[] ranges\n\
         float32[] intensities\n",
    ),
    (
        "sensor_msgs/PointField",
        "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\nuint8 UINT32=6\nuint8 FLOAT32=7\n\
         uint8 FLOAT64=8\nstring name\nuint32 offset\nuint8 datatype\nuint32 count\n",
    ),
    (
        "sensor_msgs/PointCloud2",
        "std_msgs/Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\nbool is_bigendian\n\
         uint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n",
    ),
    (
        "sensor_msgs/Image",
        "std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n\
         uint8[] data\n",
    ),
    (
        "sensor_msgs/RegionOfInterest",
        "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n",
    ),
    (
        "sensor_msgs/CameraInfo",
        "std_msgs/Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\nfloat64[9] k\n\
         float64[9] r\nfloat64[12] p\nuint32 binning_x\nuint32 binning_y\nsensor_msgs/RegionOfInterest roi\n",
    ),
    (
        "sensor_msgs/MagneticField",
        "std_msgs/Header header\ngeometry_msgs/Vector3 magnetic_field\nfloat64[9] magnetic_field_covariance\n",
    ),
    (
        "sensor_msgs/NavSatStatus",
        "int8 STATUS_NO_FIX=-1\nint8 STATUS_FIX=0\nint8 STATUS_SBAS_FIX=1\nint8 STATUS_GBAS_FIX=2\n\
         uint16 SERVICE_GPS=1\nuint16 SERVICE_GLONASS=2\nuint16 SERVICE_COMPASS=4\nuint16 SERVICE_GALILEO=8\n\
         int8 status\nuint16 service\n",
    ),
    ("sensor_msgs/FluidPressure", "std_msgs/Header header\nfloat64 fluid_pressure\nfloat64 variance\n"),
    (
        "sensor_msgs/NavSatFix",
        "uint8 COVARIANCE_TYPE_UNKNOWN=0\nuint8 COVARIANCE_TYPE_APPROXIMATED=1\nuint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2\n\
         uint8 COVARIANCE_TYPE_KNOWN=3\nstd_msgs/Header header\nsensor_msgs/NavSatStatus status\nfloat64 latitude\n\
         float64 longitude\nfloat64 altitude\nfloat64[9] position_covariance\nuint8 position_covariance_type\n",
    ),
];

/// Line between the definitions of a type and of the types inside it.
const SEPARATOR: &str = "================================================================================";

fn fields(name: &str) -> &'static str {
    TYPES.iter().find(|(known, _)| *known == name).map_or("", |(_, fields)| fields)
}

/// The definition of a type, such as `sensor_msgs/msg/Imu`, followed by those of all types inside it.
pub fn definition(full_name: &str) -> String {
    let name = full_name.replace("/msg/", "/");
    let mut text = fields(&name).to_owned();
    let (mut known, mut pending) = (BTreeSet::new(), inside(&name));
    while let Some(next) = pending.pop() {
        if known.insert(next.clone()) {
            text.push_str(&format!("{SEPARATOR}\nMSG: {next}\n{}", fields(&next)));
            pending.extend(inside(&next));
        }
    }
    text
}

/// The types of the fields of a type that are types themselves.
fn inside(name: &str) -> Vec<String> {
    let types = fields(name).lines().filter_map(|line| line.split(' ').next()).filter(|kind| kind.contains('/'));
    types.map(|kind| kind.split('[').next().unwrap_or_default().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_inside_another_is_defined() {
        for (name, _) in TYPES {
            assert!(inside(name).iter().all(|inner| !fields(inner).is_empty()), "{name}");
        }
        let camera = definition("sensor_msgs/msg/CameraInfo");
        for inner in ["std_msgs/Header", "builtin_interfaces/Time", "sensor_msgs/RegionOfInterest"] {
            assert_eq!(camera.matches(&format!("MSG: {inner}\n")).count(), 1, "{camera}");
        }
    }
}
