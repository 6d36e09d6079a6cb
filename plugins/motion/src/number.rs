/// The number that a text begins with, and its length in bytes. It may be NaN or infinite.
///
/// The only call of the parser in this crate: the compiler inlines all of the parser here.
pub(crate) fn leading_number(text: &[u8]) -> Option<(f64, usize)> {
    fast_float2::parse_partial(text).ok()
}
