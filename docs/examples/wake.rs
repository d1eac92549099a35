// How fast a condition variable and a channel of Rust's library wake a thread: as published for these two, with
// the signal stamped right before it is sent, and the wake-up right after the wait has returned.
// A column each, in ns: condvar woken early, channel woken early, condvar timed out, channel timed out.
//
//     rustc -O wake.rs && ./wake 5 1000 >rust.txt        a slice of 5 ms, 1000 rounds
//     sleeptune-lab analyse rust.txt:1 rust.txt:2 rust.txt:3 rust.txt:4 --unit ns
//     sleeptune-lab compare rust.txt:1 rust.txt:2 --unit ns
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Sleeps for `slice`; the signal comes in the middle of it, or never. Returns the delay.
fn condvar_round(slice: Duration, early: bool) -> Duration {
    let pair = Arc::new((Mutex::new(None::<Instant>), Condvar::new()));
    let other = pair.clone();
    let waker = thread::spawn(move || {
        thread::sleep(slice / 2);
        if early {
            let mut sent = other.0.lock().unwrap();
            *sent = Some(Instant::now());
            other.1.notify_one();
        }
    });
    let due = Instant::now() + slice;
    let mut sent = pair.0.lock().unwrap();
    while sent.is_none() && Instant::now() < due {
        sent = pair.1.wait_timeout(sent, due.saturating_duration_since(Instant::now())).unwrap().0;
    }
    let woke = Instant::now();
    let delay = woke.saturating_duration_since(sent.unwrap_or(due));
    drop(sent);
    waker.join().unwrap();
    delay
}

fn channel_round(slice: Duration, early: bool) -> Duration {
    let (sender, receiver): (Sender<Instant>, Receiver<Instant>) = channel();
    let waker = thread::spawn(move || {
        thread::sleep(slice / 2);
        if early {
            let _ = sender.send(Instant::now());
        } else {
            thread::sleep(slice); // the channel stays open
        }
    });
    let due = Instant::now() + slice;
    let sent = receiver.recv_timeout(slice);
    let woke = Instant::now();
    let delay = woke.saturating_duration_since(sent.unwrap_or(due));
    waker.join().unwrap();
    delay
}

fn main() {
    let number = |i: usize, usual: u64| {
        std::env::args().nth(i).map_or(Ok(usual), |text| text.parse()).unwrap_or_else(|_| {
            eprintln!("usage: wake [MILLISECONDS [ROUNDS]]");
            std::process::exit(2)
        })
    };
    let slice = Duration::from_millis(number(1, 5));
    println!("condvar woken early,channel woken early,condvar timed out,channel timed out");
    for _ in 0..number(2, 1000) {
        println!(
            "{},{},{},{}",
            condvar_round(slice, true).as_nanos(),
            channel_round(slice, true).as_nanos(),
            condvar_round(slice, false).as_nanos(),
            channel_round(slice, false).as_nanos()
        );
    }
}
