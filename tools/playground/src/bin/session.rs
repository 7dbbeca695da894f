//! The page's session without a page: does the steps on the command line, and prints the bits of
//! all world matrices, a node a line.
//!
//! ```text
//! session walker.gltf pose:0:0.5 run set_parent:3:1 run
//! session 100000 advance:0.016 run time:200     # that many orbit; microseconds of a tick
//! ```

use std::{fmt::Write as _, fs, path::Path, process::ExitCode, time::Instant};

use playground::{Session, folder};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match played(&arguments) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("session: {error}");
            ExitCode::FAILURE
        }
    }
}

fn played(arguments: &[String]) -> Result<String, String> {
    let [scene, steps @ ..] = arguments else { return Err("which scene?".into()) };
    let mut session = match scene.parse() {
        Ok(count) => Session::orbits(count),
        Err(_) => {
            let bytes = fs::read(scene).map_err(|error| format!("{scene}: {error}"))?;
            let path = Path::new(scene);
            let title = path.file_name().unwrap_or_default().to_string_lossy();
            Session::open(&bytes, &title, folder(path.parent().unwrap_or(path)))?
        }
    };
    for step in steps {
        if let Some(text) = taken(&mut session, step)? {
            return Ok(text);
        }
    }
    let mut text = String::new();
    for node in 0..session.count() as u32 {
        let matrix = session.world(node);
        let bits: Vec<String> = matrix.iter().map(|x| format!("{:08x}", x.to_bits())).collect();
        let _ = writeln!(text, "{}", bits.join(" "));
    }
    Ok(text)
}

/// Returns what there is to print instead of matrices.
fn taken(session: &mut Session, step: &str) -> Result<Option<String>, String> {
    let bad = || format!("what is {step}?");
    let mut parts = step.split(':');
    let name = parts.next().unwrap_or_default();
    let numbers: Option<Vec<f64>> = parts.map(|part| part.parse().ok()).collect();
    match (name, numbers.ok_or_else(bad)?.as_slice()) {
        ("advance", [seconds]) => session.advance(*seconds as f32),
        ("pose", [clip, time]) => session.pose(*clip as u32, *time as f32),
        ("rest", []) => session.rest(),
        ("run", []) => session.run(),
        ("set_parent", [child, parent]) => session.set_parent(*child as u32, *parent as u32)?,
        ("write_parent", [child, parent]) => session.write_parent(*child as u32, *parent as u32)?,
        ("findings", []) => return Ok(Some(session.findings().join("\n") + "\n")),
        ("time", [ticks]) => return Ok(Some(timed(session, *ticks as u32))),
        _ => return Err(bad()),
    }
    Ok(None)
}

/// The mean and the fastest of so many ticks, and of the moves before them.
fn timed(session: &mut Session, ticks: u32) -> String {
    let (mut moves, mut runs) = (Vec::new(), Vec::new());
    for _ in 0..ticks.max(1) {
        let start = Instant::now();
        session.advance(0.016);
        let moved = Instant::now();
        session.run();
        moves.push((moved - start).as_secs_f64() * 1e6);
        runs.push(moved.elapsed().as_secs_f64() * 1e6);
    }
    let said = |times: &[f64]| {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        format!("{mean:.0} (fastest {:.0})", times.iter().copied().fold(f64::MAX, f64::min))
    };
    let count = session.count();
    format!("{count} entities: moving {} us, a tick {} us\n", said(&moves), said(&runs))
}
