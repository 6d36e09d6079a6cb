//! Parsing of field values.

use std::sync::Arc;

use super::lexer::IntegerForm;
use super::parser::{Parser, unclosed_list};
use super::source::{Parsed, Problem};
use super::{FieldType, Image, Location, Value};

/// Minimum length of an axis; the limit is the original's.
const SHORTEST_AXIS: f64 = 1e-6;

impl Parser<'_> {
    /// A value of the given type.
    pub fn value(&mut self, field_type: FieldType) -> Parsed<Value> {
        Ok(match field_type {
            FieldType::SFBool => Value::SFBool(self.flag()?),
            FieldType::SFColor => Value::SFColor(self.numbers()?),
            FieldType::SFFloat => Value::SFFloat(self.lexer.float()?),
            FieldType::SFImage => Value::SFImage(Arc::new(self.image()?)),
            FieldType::SFInt32 => Value::SFInt32(self.integer()?),
            FieldType::SFNode => Value::SFNode(self.statement()?),
            FieldType::SFRotation => Value::SFRotation(self.rotation()?),
            FieldType::SFString => Value::SFString(self.string()?),
            FieldType::SFTime => Value::SFTime(self.lexer.float()?),
            FieldType::SFVec2f => Value::SFVec2f(self.numbers()?),
            FieldType::SFVec3f => Value::SFVec3f(self.numbers()?),
            FieldType::MFColor => Value::MFColor(self.list(Self::numbers)?),
            FieldType::MFFloat => Value::MFFloat(self.list(|parser| parser.lexer.float())?),
            FieldType::MFInt32 => Value::MFInt32(self.list(Self::integer)?),
            FieldType::MFNode => self.node_list()?,
            FieldType::MFRotation => Value::MFRotation(self.list(Self::rotation)?),
            FieldType::MFString => Value::MFString(self.list(Self::string)?),
            FieldType::MFTime => Value::MFTime(self.list(|parser| parser.lexer.float())?),
            FieldType::MFVec2f => Value::MFVec2f(self.list(Self::numbers)?),
            FieldType::MFVec3f => Value::MFVec3f(self.list(Self::numbers)?),
        })
    }

    /// Values in brackets, or a single one.
    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Arc<Vec<T>>> {
        let at = self.lexer.location();
        if !self.lexer.take(b'[') {
            return Ok(Arc::new(vec![item(self)?]));
        }
        let mut items = Vec::new();
        loop {
            match self.lexer.peek() {
                None => return Err(unclosed_list(at)),
                Some(b']') => {
                    self.lexer.take(b']');
                    items.shrink_to_fit();
                    return Ok(Arc::new(items));
                }
                Some(_) => items.push(item(self)?),
            }
        }
    }

    fn flag(&mut self) -> Parsed<bool> {
        if self.lexer.take_word(b"TRUE") {
            Ok(true)
        } else if self.lexer.take_word(b"FALSE") {
            Ok(false)
        } else {
            Err(self.lexer.expected("`TRUE` or `FALSE`"))
        }
    }

    fn numbers<const N: usize>(&mut self) -> Parsed<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.lexer.float()?;
        }
        Ok(numbers)
    }

    fn rotation(&mut self) -> Parsed<[f64; 4]> {
        let at = self.lexer.location();
        let [x, y, z, angle] = self.numbers()?;
        // Scaled first, so that squares of large numbers do not overflow.
        let largest = x.abs().max(y.abs()).max(z.abs());
        let [u, v, w] = [x, y, z].map(|coordinate| coordinate / largest);
        let length = (u * u + v * v + w * w).sqrt();
        if largest * length >= SHORTEST_AXIS && length.is_finite() && angle.is_finite() {
            return Ok([u / length, v / length, w / length, angle]);
        }
        let message = if angle.is_finite() && x.is_finite() && y.is_finite() && z.is_finite() {
            "the axis of this rotation has no length; there is no rotation then"
        } else {
            "this rotation is not finite; there is no rotation then"
        };
        self.warn(Problem::new(at, "zero-axis", message, "give a unit vector and an angle in radians"));
        Ok([0.0, 0.0, 1.0, 0.0])
    }

    fn integer(&mut self) -> Parsed<i32> {
        let at = self.lexer.location();
        let (number, form) = self.lexer.integer()?;
        self.remark(at, form);
        // 0xFFFFFFFF is −1, as in C.
        i32::try_from(number).or_else(|_| u32::try_from(number).map(u32::cast_signed)).map_err(|_| {
            Box::new(Problem::new(at, "bad-integer", "the number does not fit into 32 bits", "write a smaller number"))
        })
    }

    fn remark(&self, at: Location, form: IntegerForm) {
        let message = match form {
            IntegerForm::Plain => return,
            IntegerForm::Octal => "a number with a leading zero is octal, as in the original",
            IntegerForm::NotOctal => "a number with a leading zero should be octal; this one is read as decimal",
            IntegerForm::Float => "an integer is expected here; the number is whole, so it is used",
        };
        self.warn(Problem::new(at, "odd-integer", message, "write it without leading zero, point or exponent"));
    }

    /// Width, height, components and a number for each pixel, whose bytes are the components, the most significant
    /// first.
    fn image(&mut self) -> Parsed<Image> {
        let at = self.lexer.location();
        let sizes = [self.lexer.integer()?.0, self.lexer.integer()?.0, self.lexer.integer()?.0];
        let [width, height, components] = sizes;
        let (Ok(width), Ok(height), Ok(components @ 0..=4)) =
            (u32::try_from(width), u32::try_from(height), u8::try_from(components))
        else {
            let message = "an image needs a width, a height and 0 to 4 components";
            return Err(Box::new(Problem::new(at, "bad-image", message, "write `0 0 0` for no image")));
        };
        let mut data = Vec::new();
        for _ in 0..u64::from(width) * u64::from(height) {
            let at = self.lexer.location();
            let (pixel, form) = self.lexer.integer()?;
            self.remark(at, form);
            let pixel = u32::try_from(pixel).unwrap_or(u32::MAX).to_be_bytes();
            data.extend(pixel.iter().skip(4 - usize::from(components)));
        }
        Ok(Image { width, height, components, data })
    }
}
