#![allow(clippy::all, clippy::print_stdout)]
#[test]
fn one() {
    let bytes = std::fs::read(std::env::var("FILE").unwrap()).unwrap();
    (bunraku_fuzzing::target(&std::env::var("T").unwrap()).unwrap().check)(&bytes);
}
