//! Formatting of numbers, angles and rotations with few digits.

use bunraku_document::yaml::NumberFormat;
use nalgebra::{UnitQuaternion, Vector3};

/// Relative error allowed for computed numbers to save digits: a few roundings of f64.
const TIDY: f64 = 4.0 * f64::EPSILON;

/// Shortest decimal digits that read back to the same finite number; the sign of zero is dropped. Exponents are in YAML
/// 1.1 notation.
pub(super) fn shortest(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    text(|format, out| format.push(out, number))
}

/// As [`shortest`], in single precision. The text is read in double precision and rounded to single.
pub(super) fn shortest_single(number: f32) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let text = text(|format, out| format.push_single(out, number));
    // Digits near the middle between two numbers may be rounded twice, to the wrong one.
    #[allow(clippy::cast_possible_truncation)]
    let read = text.parse::<f64>().map(|read| read as f32);
    if read == Ok(number) { text } else { shortest(f64::from(number)) }
}

fn text(push: impl FnOnce(&mut NumberFormat, &mut Vec<u8>)) -> String {
    let mut text = Vec::new();
    push(&mut NumberFormat::default(), &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// The angle in degrees that reads back to the same angle in radian, or else to an adjacent one. About one angle in
/// four has no exact counterpart, because degrees are less dense. The shortest is chosen.
pub(super) fn degrees(radian: f64) -> f64 {
    let direct = radian.to_degrees();
    let shorter = (0..17).filter_map(|digits| format!("{direct:.digits$e}").parse::<f64>().ok());
    let neighbours = [direct.next_up(), direct.next_down(), direct.next_up().next_up(), direct.next_down().next_down()];
    let mut candidates = shorter.chain([direct]).chain(neighbours);
    candidates.find(|degrees| degrees.to_radians() == radian).unwrap_or(direct)
}

/// A computed number without digits that are only rounding errors: at most 15, fewer if they suffice.
pub(super) fn tidy(number: f64) -> f64 {
    let rounded = |digits: usize| format!("{number:.digits$e}").parse::<f64>().unwrap_or(number);
    let mut near = (0..13).map(rounded).filter(|short| (short - number).abs() <= TIDY * number.abs());
    near.next().unwrap_or_else(|| rounded(14))
}

/// A vector with the same direction and few digits, if there is one; otherwise the rounded vector itself.
pub(super) fn tidy_direction(unit: &Vector3<f64>) -> Vector3<f64> {
    /// With more decimals the text is not easier to read than with all.
    const DECIMALS: f64 = 1e4;
    let largest = unit[unit.iamax()].abs();
    let short = (unit / largest).map(|part| (part * DECIMALS).round() / DECIMALS);
    let same = (short.normalize() - unit).amax() <= TIDY;
    if same { short } else { unit.map(|part| if part.abs() <= TIDY { 0.0 } else { tidy(part) }) }
}

/// Axis and angle in degrees; `None` for the identity. The largest component of the axis is usually positive.
pub(super) fn axis_angle(rotation: &UnitQuaternion<f64>) -> Option<[f64; 4]> {
    let imaginary = rotation.imag();
    let length = imaginary.norm();
    if length == 0.0 || !length.is_finite() {
        return None;
    }
    let mut axis = imaginary / length;
    let mut angle = tidy((2.0 * libm::atan2(length, rotation.w)).to_degrees());
    // The first of the largest components, so that rounding does not decide.
    let largest = axis.amax() * (1.0 - 1e-9);
    if axis.iter().find(|part| part.abs() >= largest).is_some_and(|&part| part < 0.0) {
        // A rotation by 180° is the same in both directions: one is chosen, independent of rounding.
        (axis, angle) = (-axis, if angle == 180.0 { angle } else { -angle });
    }
    let axis = tidy_direction(&axis);
    Some([axis.x, axis.y, axis.z, angle])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_read_back() {
        for (number, expected) in [
            (1.0, "1"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (1e300, "1.0e+300"),
            (1.5e-9, "1.5e-9"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        ] {
            assert_eq!(shortest(number), expected);
            assert_eq!(expected.parse::<f64>(), Ok(number));
        }
        assert_eq!(shortest_single(0.1), "0.1");
    }

    #[test]
    fn angles_read_back_to_the_same_radian_or_its_neighbour() {
        for degree in [0.0, 30.0, 45.0, 90.0, 1e-3, 123.456, -179.9, 360.0, 1e9] {
            assert_eq!(degrees(f64::to_radians(degree)), degree);
        }
        let mut exact = 0;
        for step in 1..10_000 {
            let radian = f64::from(step) * 0.000_717_3;
            let read = degrees(radian).to_radians();
            assert!(read == radian || read == radian.next_up() || read == radian.next_down(), "{radian}");
            exact += usize::from(read == radian);
            assert_eq!(degrees(read).to_radians(), read, "what was read once stays");
        }
        assert!(exact > 5_000, "{exact}");
    }

    #[test]
    fn rotations_have_few_digits() {
        let turn = |axis: [f64; 3], degrees: f64| {
            let axis = nalgebra::Unit::new_normalize(Vector3::from(axis));
            axis_angle(&UnitQuaternion::from_axis_angle(&axis, degrees.to_radians()))
        };
        assert_eq!(turn([0.0, 0.0, 1.0], 90.0), Some([0.0, 0.0, 1.0, 90.0]));
        assert_eq!(turn([0.0, -2.0, 0.0], 30.0), Some([0.0, 1.0, 0.0, -30.0]));
        assert_eq!(turn([1.0, 1.0, 0.5], 120.0), Some([1.0, 1.0, 0.5, 120.0]));
        assert_eq!(turn([1.0, 0.0, 0.0], 0.0), None);
        // A rotation by 180° has a unique notation. Otherwise it would change from one conversion to the next.
        for degrees in [180.0, -180.0, 180.0_f64.next_up(), -180.0_f64.next_up()] {
            for axis in [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]] {
                assert_eq!(turn(axis, degrees), Some([0.0, 1.0, 0.0, 180.0]), "{axis:?} {degrees}");
            }
        }
    }
}
