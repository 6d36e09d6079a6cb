//! Nodes and keys of the manual.

/// Nodes of the manual in its order, with their keys.
pub const MANUAL: &[(&str, &[&str])] = &[
    ("Header", &["format", "format_version", "angle_unit", "name", "root_link"]),
    (
        "Link",
        &[
            "type",
            "name",
            "parent",
            "translation",
            "rotation",
            "joint_id",
            "joint_type",
            "joint_axis",
            "joint_angle",
            "joint_displacement",
            "joint_range",
            "max_joint_velocity",
            "joint_velocity_range",
            "rotor_inertia",
            "gear_ratio",
            "center_of_mass",
            "mass",
            "inertia",
            "import",
            "elements",
        ],
    ),
    ("RigidBody", &["type", "center_of_mass", "mass", "inertia", "elements"]),
    ("Transform", &["type", "translation", "rotation", "scale", "elements"]),
    ("Shape", &["type", "geometry", "appearance"]),
    ("Box", &["type", "size"]),
    ("Sphere", &["type", "radius"]),
    ("Cylinder", &["type", "radius", "height", "bottom", "top"]),
    ("Capsule", &["type", "radius", "height"]),
    ("Cone", &["type", "radius", "height", "bottom"]),
    ("Extrusion", &["type", "cross_section", "spine", "orientation", "scale", "crease_angle", "begin_cap", "end_cap"]),
    (
        "ElevationGrid",
        &["type", "x_dimension", "z_dimension", "x_spacing", "z_spacing", "ccw", "crease_angle", "height"],
    ),
    ("IndexedFaceSet", &["type", "vertices", "faces", "tex_coords", "tex_coord_indices", "crease_angle"]),
    ("Appearance", &["material", "texture", "texture_transform"]),
    ("Material", &["ambient", "diffuse", "emissive", "shininess", "specular", "transparency"]),
    ("Texture", &["url", "repeat_s", "repeat_t"]),
    ("TextureTransform", &["translation", "rotation", "scale", "center"]),
    ("Resource", &["type", "uri", "node"]),
    ("Device", &["name", "id", "translation", "rotation"]),
    ("AccelerationSensor", &["type", "max_acceleration"]),
    ("RateGyroSensor", &["type", "max_angular_velocity"]),
    ("Imu", &["type", "max_acceleration", "max_angular_velocity"]),
    ("ForceSensor", &["type", "max_force", "max_torque"]),
    (
        "Camera",
        &[
            "type",
            "format",
            "lens_type",
            "on",
            "width",
            "height",
            "field_of_view",
            "near_clip_distance",
            "far_clip_distance",
            "frame_rate",
        ],
    ),
    (
        "RangeSensor",
        &[
            "type",
            "on",
            "yaw_range",
            "yaw_step",
            "pitch_range",
            "pitch_step",
            "scan_rate",
            "min_distance",
            "max_distance",
        ],
    ),
    (
        "SpotLight",
        &[
            "type",
            "on",
            "color",
            "intensity",
            "direction",
            "beam_width",
            "cut_off_angle",
            "cut_off_exponent",
            "attenuation",
        ],
    ),
    ("ExtraJoint", &["link1_name", "link2_name", "link1_local_pos", "link2_local_pos", "joint_type", "axis"]),
    ("Group", &["name"]),
];

/// Each node with each of its keys.
pub fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    MANUAL.iter().flat_map(|(node, keys)| keys.iter().map(|key| (*node, *key)))
}

/// The list above was copied by hand. Here it is compared with the manual, if that is available.
#[test]
fn the_list_is_that_of_the_manual() {
    let Some(manuals) = bunraku_test_support::manuals() else { return };
    let text = std::fs::read_to_string(manuals.join("body-ja.txt")).unwrap();
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(heading) = line.strip_suffix('¶') {
            // The Japanese words for node and header.
            let name = heading.strip_suffix("ノード").unwrap_or(if heading == "ヘッダ" { "Header" } else { "" });
            found.push((name.to_owned(), Vec::new()));
        } else if let Some(key) = line.strip_suffix(" |")
            && key.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
            && let Some((_, keys)) = found.last_mut()
        {
            keys.push(key.to_owned());
        }
    }
    found.retain(|(name, keys)| !name.is_empty() && !keys.is_empty());
    let expected: Vec<(String, Vec<String>)> = MANUAL
        .iter()
        .map(|(node, keys)| ((*node).to_owned(), keys.iter().map(|key| (*key).to_owned()).collect()))
        .collect();
    assert_eq!(found, expected);
}
