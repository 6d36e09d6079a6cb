//! Files with macros, expanded as ROS's `xacro` does.

use bunraku_body::{Body, LoadOptions, load};
use bunraku_document::{Diagnostic, Reporter, Severity};
use bunraku_test_support::{Random, TestFolder};

use crate::mutation::mutate;

/// A robot with all that xacro has.
const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="walker" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="name" default="walker"/>
  <xacro:arg name="with_tail" default="false"/>
  <xacro:property name="length" value="0.5"/>
  <xacro:property name="radius" value="${length / 10}"/>
  <xacro:property name="density" value="1000"/>
  <xacro:property name="settings" value="${xacro.load_yaml('settings.yaml')}"/>
  <xacro:property name="damped">
    <dynamics damping="${settings['joint']['damping']}"/>
  </xacro:property>
  <xacro:include filename="parts/leg.xacro"/>
  <xacro:include filename="parts/none.xacro" optional="true"/>
  <link name="base">
    <xacro:box_mass mass="${settings.mass}" size="0.2"/>
  </link>
  <xacro:leg prefix="left" side="1">
    <origin xyz="0 ${length / 5} 0" rpy="0 0 ${radians(90)}"/>
    <limits><limit lower="${-pi / 2}" upper="${pi / 2}" effort="10" velocity="3"/></limits>
  </xacro:leg>
  <xacro:call macro="leg" prefix="right" side="-1">
    <xacro:if value="${1 &lt; 2}"><origin xyz="0 ${-length / 5} 0"/></xacro:if>
    <limits/>
  </xacro:call>
  <xacro:if value="$(arg with_tail)">
    <link name="$(arg name)_tail"/>
    <joint name="tail" type="fixed"><parent link="base"/><child link="$(arg name)_tail"/></joint>
  </xacro:if>
  <xacro:unless value="${'$(arg name)' == 'walker'}"><link name="not_there"/></xacro:unless>
  <xacro:element xacro:name="${'lin' + 'k'}" name="pole"><xacro:attribute name="type" value="pole"/></xacro:element>
  <joint name="pole" type="fixed"><parent link="base"/><child link="pole"/></joint>
</robot>
"#;

const LEG: &str = r#"<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="box_mass" params="mass size">
    <inertial>
      <mass value="${mass}"/>
      <xacro:property name="moment" value="${mass * size ** 2 / 6}"/>
      <inertia ixx="${moment}" iyy="${moment}" izz="${moment}" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </xacro:macro>
  <xacro:macro name="leg" params="prefix side radius:=^ parent:='base' *place **limits">
    <link name="${prefix}_leg">
      <xacro:box_mass mass="${density * radius ** 3}" size="${radius}"/>
    </link>
    <joint name="${prefix}_hip" type="${'revolute' if side > 0 else 'continuous'}">
      <parent link="${parent}"/>
      <child link="${prefix}_leg"/>
      <xacro:insert_block name="place"/>
      <axis xyz="0 ${side} 0"/>
      <xacro:insert_block name="limits"/>
      <xacro:insert_block name="damped"/>
    </joint>
  </xacro:macro>
</robot>
"#;

const SETTINGS: &str = "mass: 2.5\njoint:\n  damping: 0.125\n";

/// The output of ROS's `xacro` 2.1.1 for the robot, without comments and spaces.
const EXPANDED: &str = r#"<robot name="walker">
<link name="base"><inertial><mass value="2.5"/>
<inertia ixx="0.01666666666666667" iyy="0.01666666666666667" izz="0.01666666666666667" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="left_leg"><inertial><mass value="0.12500000000000003"/>
<inertia ixx="5.208333333333335e-05" iyy="5.208333333333335e-05" izz="5.208333333333335e-05" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="left_hip" type="revolute"><parent link="base"/><child link="left_leg"/>
<origin rpy="0 0 1.5707963267948966" xyz="0 0.1 0"/><axis xyz="0 1 0"/>
<limit effort="10" lower="-1.5707963267948966" upper="1.5707963267948966" velocity="3"/><dynamics damping="0.125"/></joint>
<link name="right_leg"><inertial><mass value="0.12500000000000003"/>
<inertia ixx="5.208333333333335e-05" iyy="5.208333333333335e-05" izz="5.208333333333335e-05" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="right_hip" type="continuous"><parent link="base"/><child link="right_leg"/>
<origin xyz="0 -0.1 0"/><axis xyz="0 -1 0"/><dynamics damping="0.125"/></joint>
<link name="pole" type="pole"/><joint name="pole" type="fixed"><parent link="base"/><child link="pole"/></joint></robot>
"#;

fn folder(robot: &str) -> TestFolder {
    TestFolder::with(&[
        ("package.xml", "<package><name>walker</name></package>"),
        ("urdf/robot.urdf.xacro", robot),
        ("urdf/parts/leg.xacro", LEG),
        ("urdf/settings.yaml", SETTINGS),
    ])
}

fn read(folder: &TestFolder, options: &LoadOptions) -> (Option<Body>, Vec<Diagnostic>) {
    let reporter = Reporter::new();
    let body = load(&folder.join("urdf/robot.urdf.xacro"), options, &reporter);
    (body, reporter.into_diagnostics())
}

/// The robot with these elements only.
fn robot(elements: &str) -> String {
    format!("<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n{elements}\n</robot>\n")
}

#[test]
fn a_robot_of_macros_is_the_robot_that_ros_makes_of_it() {
    let (body, findings) = read(&folder(ROBOT), &LoadOptions::default());
    let body = body.unwrap_or_else(|| panic!("{findings:?}"));
    let plain = TestFolder::with(&[("robot.urdf", EXPANDED)]);
    let reporter = Reporter::new();
    let expected = load(&plain.join("robot.urdf"), &LoadOptions::default(), &reporter).unwrap();
    assert_eq!(format!("{body:#?}"), format!("{expected:#?}"));
    let warnings = |findings: Vec<Diagnostic>| {
        let mut codes: Vec<_> = findings.into_iter().map(|finding| (finding.code, finding.message)).collect();
        codes.sort();
        codes
    };
    assert_eq!(warnings(findings), warnings(reporter.into_diagnostics()));
}

#[test]
fn arguments_of_the_user_precede_defaults() {
    let arguments =
        [("name", "runner"), ("with_tail", "true")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let options = LoadOptions { xacro_arguments: arguments.to_vec(), ..LoadOptions::default() };
    let text = ROBOT.replace("<link name=\"not_there\"/>", "");
    let (body, findings) = read(&folder(&text), &options);
    let body = body.unwrap_or_else(|| panic!("{findings:?}"));
    assert!(body.links().iter().any(|link| link.name == "runner_tail"));
}

#[test]
fn a_package_is_found_as_for_package_uris() {
    let included = "<xacro:include filename=\"$(find walker)/urdf/parts/leg.xacro\"/>";
    let link = "<link name=\"a\"><xacro:box_mass mass=\"2\" size=\"${0.5}\"/></link>";
    let (body, findings) = read(&folder(&robot(&format!("{included}{link}"))), &LoadOptions::default());
    assert_eq!(body.unwrap_or_else(|| panic!("{findings:?}")).mass(), 2.0);
}

#[test]
fn scopes_defaults_and_laziness_are_those_of_xacro() {
    let property = |name: &str, rest: &str| format!("<xacro:property name=\"{name}\" {rest}/>");
    let in_macro =
        |elements: &str| format!("<xacro:macro name=\"m\" params=\"b:=2\">{elements}</xacro:macro><xacro:m/>");
    let one = property("a", "value=\"1\"");
    let count = "<xacro:if value=\"${b > 0}\"><xacro:property name=\"t\" value=\"${t + str(b)}\" scope=\"global\"/>\
                 <xacro:m b=\"${b - 1}\"/></xacro:if>";
    let cases = [
        // A property is evaluated at its first use.
        (property("a", "value=\"${b}\"") + &property("b", "value=\"2\""), "x${a}", "x2"),
        (
            format!("{one}{}{}", property("b", "value=\"${a}\" lazy_eval=\"false\""), property("a", "value=\"3\"")),
            "x${b}",
            "x1",
        ),
        (one.clone() + &property("a", "default=\"5\""), "x${a}", "x1"),
        (property("a", "default=\"5\""), "x${a}", "x5"),
        // Inside a macro a property is local, unless its scope is another one.
        (one.clone() + &in_macro(&property("a", "value=\"2\"")), "x${a}", "x1"),
        (in_macro(&property("a", "value=\"2\" scope=\"parent\"")), "x${a}", "x2"),
        (in_macro(&property("a", "value=\"${b + 1}\" scope=\"global\"")), "x${a}", "x3"),
        // A macro may call itself.
        (property("t", "value=\"x\"") + &in_macro(count), "${t}", "x21"),
        // Texts in quotes stay texts; doubled dollars are dollars.
        (property("a", "value=\"'2'\""), "x${a + '3'}", "x23"),
        (String::new(), "x$${a}$(eval 1 + 2)", "x${a}3"),
        (one, "x${a}${2.0}${True}", "x12.0True"),
    ];
    for (definitions, name, expected) in cases {
        let text = robot(&format!("{definitions}<link name=\"{name}\"/>"));
        let (body, findings) = read(&folder(&text), &LoadOptions::default());
        assert_eq!(body.unwrap_or_else(|| panic!("{text}: {findings:?}")).links()[0].name, expected, "{text}");
    }
}

#[test]
fn each_mistake_is_an_error_with_a_place() {
    let cases = [
        ("<xacro:leg/>", "2:1", "there is no macro `leg`"),
        ("<xacro:macro name=\"leg\"/>\n<xacro:lag/>", "3:1", "did you mean `xacro:leg`?"),
        ("<link name=\"${nam}\"/>", "2:13", "`nam` is not defined"),
        ("<xacro:property name=\"name\" value=\"1\"/>\n<link name=\"${nam}\"/>", "3:13", "did you mean `name`?"),
        ("<link name=\"${1 +}\"/>", "2:13", "ends too early, in `1 +`"),
        ("<link name=\"${1\"/>", "2:13", "the closing `}` is missing"),
        ("<xacro:property name=\"a\" value=\"${a}\"/>\n<link name=\"${a}\"/>", "3:13", "needs its own value"),
        ("<xacro:if value=\"maybe\"/>", "2:18", "neither true nor false"),
        ("<xacro:macro name=\"m\" params=\"a *b\"/>\n<xacro:m/>", "3:1", "needs the parameter `a`"),
        ("<xacro:macro name=\"m\" params=\"a *b\"/>\n<xacro:m a=\"1\"/>", "3:1", "needs an element for `b`"),
        ("<xacro:macro name=\"m\" params=\"long\"/>\n<xacro:m lung=\"1\"/>", "3:16", "did you mean `long`?"),
        ("<xacro:macro name=\"m\"/>\n<xacro:m><a/></xacro:m>", "3:10", "takes no further element"),
        ("<xacro:macro name=\"m\" params=\"***a\"/>", "2:31", "not understood"),
        ("<xacro:macro name=\"m\"><link name=\"${x}\"/></xacro:macro>\n\n<xacro:m/>", "2:35", "is called in"),
        ("<xacro:insert_block name=\"b\"/>", "2:27", "there is no block `b`"),
        ("<xacro:include filename=\"none.xacro\"/>", "2:26", "file not found"),
        ("<xacro:include filename=\"/etc/passwd\"/>", "2:26", "outside"),
        ("<xacro:include filename=\"robot.urdf.xacro\"/>", "2:26", "includes itself"),
        ("<xacro:include filename=\"$(find nowhere)/a.xacro\"/>", "2:26", "nowhere"),
        ("<link name=\"$(arg a)\"/>", "2:13", "--xacro-arg a=VALUE"),
        ("<link name=\"$(env HOME)\"/>", "2:13", "does not depend on the environment"),
        ("<link name=\"${load_yaml('../../../../etc/passwd')}\"/>", "2:13", "outside"),
        (
            "<xacro:attribute name=\"a\" value=\"b\"/>\n<xacro:if value=\"1\"><xacro:attribute name=\"a\" value=\"b\"/></xacro:if>",
            "3:21",
            "directly inside",
        ),
        ("<xacro:element xacro:name=\"a b\"/>", "2:28", "not the name of an element"),
        ("<xacro:macro name=\"m\"><xacro:m/></xacro:macro>\n<xacro:m/>", "2:23", "deeper than 250"),
        // Findings of URDF are shown at the element that made them.
        (
            "<link name=\"a\"/>\n<xacro:macro name=\"m\">\n<link name=\"a\"/></xacro:macro>\n<xacro:m/>",
            "4:1",
            "already taken",
        ),
    ];
    for (elements, place, part) in cases {
        let (body, findings) = read(&folder(&robot(elements)), &LoadOptions::default());
        assert!(body.is_none(), "{elements}");
        let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        let [error] = errors.as_slice() else { panic!("{elements}: {errors:?}") };
        let shown = error.to_string() + error.help.as_deref().unwrap_or_default();
        assert!(shown.contains(&format!("robot.urdf.xacro:{place}: ")) && shown.contains(part), "{elements}: {shown}");
    }
}

#[test]
fn expansions_without_an_end_are_refused() {
    let doubling: String = (1..40)
        .map(|at| format!("<xacro:property name=\"p{at}\" value=\"${{p{}}}${{p{}}}\"/>", at - 1, at - 1))
        .collect();
    let calls: String = (1..40)
        .map(|at| format!("<xacro:macro name=\"m{at}\"><xacro:m{}/><xacro:m{}/></xacro:macro>", at - 1, at - 1))
        .collect();
    let chain: String =
        (1..1000).map(|at| format!("<xacro:property name=\"p{at}\" value=\"${{p{}}}\"/>", at - 1)).collect();
    for (elements, part) in [
        (format!("<xacro:property name=\"p0\" value=\"abcdefgh\"/>{doubling}<link name=\"${{p18}}\"/>"), "longer"),
        (format!("<xacro:macro name=\"m0\"><link/></xacro:macro>{calls}<xacro:m39/>"), "more than 100000 calls"),
        (format!("<xacro:property name=\"p0\" value=\"a\"/>{chain}<link name=\"${{p999}}\"/>"), "chain"),
        (format!("{}{}", "<a>".repeat(300), "</a>".repeat(300)), "nest deeper"),
    ] {
        let (body, findings) = read(&folder(&robot(&elements)), &LoadOptions::default());
        assert!(
            body.is_none() && findings.iter().any(|finding| finding.message.contains(part)),
            "{part}: {findings:?}"
        );
    }
}

/// Texts for attributes.
const WORDS: &[&str] = &[
    "${",
    "${}",
    "${1/0}",
    "${mass * 'a'}",
    "$(arg name)",
    "$(find x)",
    "${[1,2][5]}",
    "${-2 ** 0.5}",
    "${length",
    "",
    "leg",
    "box_mass",
    "*a **b",
    "a:=^|${b} c:='",
    "true",
    "1e308",
    "${10 ** 400}",
    "${'a' * 10 ** 12}",
    "é$",
    "${settings.joint}",
];

#[test]
fn five_thousand_mutated_files_do_not_panic() {
    let mut random = Random::new(43);
    let mut below = |count: usize| usize::try_from(random.bits() % (count.max(1) as u64)).unwrap();
    let whole = ROBOT.replace("<xacro:include filename=\"parts/leg.xacro\"/>", {
        LEG.split_once('\n').unwrap().1.trim_end().trim_end_matches("</robot>")
    });
    let (folder, mut rejected) = (folder(&whole), 0);
    assert!(read(&folder, &LoadOptions::default()).0.is_some());
    for _ in 0..5000 {
        let mut text = whole.clone();
        mutate(&mut text, WORDS, &mut below);
        folder.write("urdf/robot.urdf.xacro", &text);
        let (body, findings) = read(&folder, &LoadOptions::default());
        if body.is_none() {
            rejected += 1;
            let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
            assert!(errors.iter().any(|error| error.position().is_some()), "no place: {errors:?}\n{text}");
        }
    }
    println!("{rejected} of 5000 rejected");
    assert!(rejected > 1000);
}
