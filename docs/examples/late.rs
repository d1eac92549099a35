// How late std::thread::sleep wakes a thread that sleeps until one moment after the other, as late.c does in C:
// one lateness a line, in seconds.
//
//     rustc -O late.rs && ./late 900 1 >rust.txt
//     sleeptune-lab analyse rust.txt --every 1s
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let count = arguments.get(1).map_or(Ok(900), |text| text.parse::<u32>());
    let every = arguments.get(2).map_or(Ok(1.0), |text| text.parse::<f64>());
    let (Ok(count), Ok(every)) = (count, every) else {
        eprintln!("usage: late [COUNT [SECONDS]]");
        std::process::exit(2)
    };
    let start = Instant::now();
    for i in 1..=count {
        let due = start + Duration::from_secs_f64(f64::from(i) * every);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        println!("{:.9}", (Instant::now() - due).as_secs_f64());
    }
}
