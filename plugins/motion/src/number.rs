/// The number at the beginning of a text, and its length in bytes. It may be NaN or infinite.
///
/// This is the only call of the parser in this crate, because the compiler inlines the whole parser at each call.
pub(crate) fn leading_number(text: &[u8]) -> Option<(f64, usize)> {
    fast_float2::parse_partial(text).ok()
}
