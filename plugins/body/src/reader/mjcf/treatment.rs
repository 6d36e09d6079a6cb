//! Treatment of each attribute of the format: it is read, it does not matter here, or a note says that it has no
//! effect. Elements that are left out as a whole have a finding of their own.

/// Attributes that the reader reads or reports, by tag.
pub(super) const READ: &[(&str, &str)] = &[
    ("mujoco", "model"),
    (
        "compiler",
        "angle assetdir autolimits balanceinertia boundinertia boundmass coordinate eulerseq inertiafromgeom \
         inertiagrouprange meshdir settotalmass strippath texturedir",
    ),
    ("default", "class"),
    ("worldbody", "childclass"),
    ("mesh", "builtin class file face inertia material name refpos refquat scale vertex"),
    ("material", "class emission name rgba shininess specular texture"),
    ("layer", "role texture"),
    ("body", "axisangle childclass euler gravcomp mocap name pos quat xyaxes zaxis"),
    ("frame", "axisangle childclass euler pos quat scale xyaxes zaxis"),
    ("inertial", "axisangle diaginertia euler fullinertia mass pos quat xyaxes zaxis"),
    (
        "joint",
        "active coef joint actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis class damping frictionloss joint1 \
         joint2 limited margin name polycoef pos range ref solimp solimpfriction solimplimit solref solreffriction \
         solreflimit springdamper springref stiffness type",
    ),
    ("freejoint", "name"),
    ("replicate", "count euler offset sep"),
    (
        "geom",
        "adhesion axisangle class conaffinity condim contype density euler fluidshape friction fromto gap group margin \
         mass material mesh name pos priority quat rgba shellinertia size solimp solmix solref surfacevel type xyaxes \
         zaxis",
    ),
    ("site", "axisangle class euler name pos quat xyaxes zaxis"),
    (
        "camera",
        "axisangle class euler focal focalpixel fovy mode name pos principal principalpixel quat resolution sensorsize \
         xyaxes zaxis",
    ),
    ("light", "active attenuation class cutoff diffuse dir directional exponent name pos type"),
    ("exclude", "body1 body2"),
    ("equality", "active solimp solref"),
    (
        "tendon",
        "active class damping frictionloss limited name polycoef range solimp solref springlength stiffness \
         tendon1 tendon2",
    ),
    ("fixed", "actuatorfrcrange armature class damping frictionloss limited name range springlength stiffness"),
    ("connect", "active anchor body1 body2 class site1 site2 solimp solref"),
    ("weld", "active anchor body1 body2 class relpose site1 site2 solimp solref"),
    (
        "general",
        "armature biasprm biastype body class cranksite ctrllimited ctrlrange dyntype forcelimited forcerange gainprm \
         gaintype gear joint jointinparent name site slidersite tendon",
    ),
    (
        "motor",
        "armature class cranksite ctrllimited ctrlrange forcelimited forcerange gear joint jointinparent name site \
         slidersite tendon",
    ),
    (
        "position",
        "armature class cranksite ctrllimited ctrlrange dampratio forcelimited forcerange gear joint jointinparent kp kv \
         name site slidersite tendon timeconst",
    ),
    (
        "velocity",
        "armature class cranksite ctrllimited ctrlrange forcelimited forcerange gear joint jointinparent kv name site \
         slidersite tendon",
    ),
    ("accelerometer", "name noise site"),
    ("gyro", "name noise site"),
    ("force", "name noise site"),
    ("torque", "name noise site"),
    ("rangefinder", "camera cutoff name noise site"),
    ("key", "name qpos"),
];

/// Attributes that change nothing here: looks of MuJoCo's own window, names of what nothing refers to, data for
/// programs, and how MuJoCo compiles and saves models.
pub(super) const IRRELEVANT: &[(&str, &str)] = &[
    ("compiler", "conflict discardvisual fusestatic passthrough savecanonical savecompiled saveinertial usethread"),
    ("mesh", "content_type maxhullvert normal smoothnormal texcoord"),
    ("material", "metallic reflectance roughness texrepeat texuniform"),
    ("body", "simple sleep user"),
    ("frame", "name"),
    ("joint", "group user"),
    ("freejoint", "group"),
    ("geom", "fluidcoef user"),
    ("site", "group material mesh rgba size type user"),
    ("camera", "ipd output user"),
    ("light", "ambient bulbradius castshadow intensity range softness specular texture"),
    ("exclude", "name"),
    ("connect", "name"),
    ("weld", "name"),
    ("general", "group lengthrange user"),
    ("motor", "group lengthrange user"),
    ("position", "group lengthrange user"),
    ("velocity", "group lengthrange user"),
    ("accelerometer", "user"),
    ("gyro", "user"),
    ("force", "user"),
    ("torque", "user"),
    ("rangefinder", "user"),
    ("tendon", "group material rgba user width"),
    ("fixed", "group user"),
    ("key", "time"),
];

/// Elements that are left out with all that is in them. Those that act on a robot have a finding; the others are looks
/// of MuJoCo's own window, sizes of its memory and data for programs.
pub(super) const LEFT_OUT: &[&str] = &[
    "lengthrange",
    "option",
    "size",
    "statistic",
    "visual",
    "extension",
    "texture",
    "hfield",
    "skin",
    "model",
    "plugin",
    "attach",
    "composite",
    "flexcomp",
    "deformable",
    "pair",
    "spatial",
    "flex",
    "flexvert",
    "flexstrain",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "custom",
    "touch",
    "velocimeter",
    "magnetometer",
    "camprojection",
    "jointpos",
    "jointvel",
    "tendonpos",
    "tendonvel",
    "actuatorpos",
    "actuatorvel",
    "actuatorfrc",
    "jointactuatorfrc",
    "tendonactuatorfrc",
    "ballquat",
    "ballangvel",
    "jointlimitpos",
    "jointlimitvel",
    "jointlimitfrc",
    "tendonlimitpos",
    "tendonlimitvel",
    "tendonlimitfrc",
    "framepos",
    "framequat",
    "framexaxis",
    "frameyaxis",
    "framezaxis",
    "framelinvel",
    "frameangvel",
    "framelinacc",
    "frameangacc",
    "subtreecom",
    "subtreelinvel",
    "subtreeangmom",
    "insidesite",
    "distance",
    "normal",
    "fromto",
    "e_potential",
    "e_kinetic",
    "clock",
    "tactile",
    "user",
];

fn is_listed(lists: &[(&str, &str)], tag: &str, attribute: &str) -> bool {
    lists.iter().any(|(known, list)| *known == tag && list.split_ascii_whitespace().any(|word| word == attribute))
}

/// Whether an attribute needs no note: it is read, or does not matter.
pub(super) fn is_silent(tag: &str, attribute: &str) -> bool {
    is_listed(READ, tag, attribute) || is_listed(IRRELEVANT, tag, attribute)
}

/// Whether an element is left out as a whole.
pub(super) fn is_left_out(tag: &str) -> bool {
    LEFT_OUT.contains(&tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::mjcf::grammar::Grammar;

    /// Sources of the reader, without this file and the grammar.
    fn sources() -> String {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/reader/mjcf");
        let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        let is_reader = |path: &std::path::PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.ends_with(".rs") && name != "treatment.rs"
        };
        files.filter(is_reader).map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn attributes_that_are_said_to_be_read_occur_in_the_reader() {
        let sources = sources();
        for (tag, list) in READ {
            for attribute in list.split_ascii_whitespace() {
                assert!(sources.contains(&format!("\"{attribute}\"")), "`{attribute}` of `<{tag}>` is not read");
            }
        }
    }

    #[test]
    fn lists_contain_only_what_the_format_has() {
        let grammar = Grammar::new();
        let has = |tag: &str, attribute: &str| {
            grammar.entries().any(|(_, known, attributes)| known == tag && attributes.contains(attribute))
        };
        for (tag, list) in READ.iter().chain(IRRELEVANT) {
            for attribute in list.split_ascii_whitespace() {
                assert!(has(tag, attribute), "`<{tag}>` has no `{attribute}`");
            }
        }
        for tag in LEFT_OUT {
            assert!(grammar.entries().any(|(_, known, _)| known == *tag), "there is no `<{tag}>`");
        }
    }
}
