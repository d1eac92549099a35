// What a call costs in Rust, as cost.c does in C: two columns in ns, the clock alone and the parent's number.
//
//     rustc -O cost.rs && ./cost 500 >rust.txt
//     sleeptune-lab plot rust.txt:1 rust.txt:2 -k box --unit ns -o rust.svg
use std::time::Instant;

fn main() {
    let count: u32 = std::env::args().nth(1).map_or(Ok(500), |text| text.parse()).unwrap_or_else(|_| {
        eprintln!("usage: cost [COUNT]");
        std::process::exit(2)
    });
    for _ in 0..count {
        let a = Instant::now();
        let b = Instant::now();
        let parent = std::os::unix::process::parent_id(); // the call
        let c = Instant::now();
        assert!(parent < u32::MAX);
        println!("{},{}", (b - a).as_nanos(), (c - b).as_nanos());
    }
}
