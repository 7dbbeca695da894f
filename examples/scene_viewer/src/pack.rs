//! World matrices in few bytes: fixed point, differences along time, gzip, base64; `unpack` in the
//! page is its inverse.
//!
//! A *plane* is one of the twelve numbers of one node's affine matrix over all frames. It begins
//! with its first value; a byte then says whether it stays there (0) or is followed by second
//! differences (1). All numbers are zigzag varints.

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use nalgebra::Matrix4;
use serde_json::{Value, json};

/// Steps from 0 to the largest number of its kind: a thousandth of a degree is not seen.
const LINEAR_STEPS: f64 = 32_767.0;
const POSITION_STEPS: f64 = 262_143.0;

struct Packed {
    /// What one step is worth, by node.
    linear: Vec<f32>,
    /// Likewise, for all nodes.
    position: f32,
    data: String,
    /// The least and the largest position, of finite ones.
    bounds: [[f32; 3]; 2],
}

/// A clip as the page's script has it; `interval` is in seconds. `worlds[frame][node]`: numbers
/// that are not finite become zero.
pub fn clip(name: &str, interval: f32, worlds: &[Vec<Matrix4<f32>>]) -> Value {
    let Packed { linear, position, data, bounds } = pack(worlds);
    json!({
        "name": name,
        "frames": worlds.len(),
        "interval": interval,
        "bounds": bounds,
        "linear": linear.into_iter().map(short).collect::<Vec<_>>(),
        "position": position,
        "data": data,
    })
}

/// `f32` as `f64` would show digits that it does not have.
pub fn short(x: f32) -> Value {
    format!("{x:e}").parse::<f64>().map_or(Value::Null, |x| json!(x))
}

fn pack(worlds: &[Vec<Matrix4<f32>>]) -> Packed {
    let nodes = worlds.first().map_or(0, Vec::len);
    let largest = |numbers: &mut dyn Iterator<Item = f32>| {
        numbers.filter(|x| x.is_finite()).fold(0.0, |a: f32, x| a.max(x.abs()))
    };
    let position = step(
        largest(&mut worlds.iter().flatten().flat_map(|m| [m.m14, m.m24, m.m34])),
        POSITION_STEPS,
    );
    let mut bytes = Vec::new();
    let mut linear = Vec::with_capacity(nodes);
    for node in 0..nodes {
        let unit = step(
            largest(&mut worlds.iter().flat_map(|frame| linear_part(&frame[node]))),
            LINEAR_STEPS,
        );
        for i in 0..12 {
            let unit = if i < 9 { unit } else { position };
            let quantise = |frame: &Vec<Matrix4<f32>>| {
                (f64::from(frame[node][(i % 3, i / 3)]) / f64::from(unit)).round() as i64
            };
            plane(&mut bytes, worlds.iter().map(quantise));
        }
        linear.push(unit);
    }
    Packed { linear, position, data: text(&bytes), bounds: bounds(worlds) }
}

fn step(largest: f32, steps: f64) -> f32 {
    // Zero would divide by zero, and subnormal steps lose digits.
    ((f64::from(largest) / steps) as f32).max(1e-30)
}

fn linear_part(matrix: &Matrix4<f32>) -> [f32; 9] {
    std::array::from_fn(|i| matrix[(i % 3, i / 3)])
}

fn plane(bytes: &mut Vec<u8>, values: impl Iterator<Item = i64> + Clone) {
    let mut values = values.peekable();
    let Some(first) = values.next() else { return };
    varint(bytes, first);
    let varies = values.clone().any(|value| value != first);
    bytes.push(varies.into());
    if varies {
        let (mut last, mut speed) = (first, 0);
        for value in values {
            varint(bytes, value - last - speed);
            (last, speed) = (value, value - last);
        }
    }
}

fn varint(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Bytes in a text that the page unpacks: gzip in base64.
pub fn text(bytes: &[u8]) -> String {
    STANDARD.encode(gzip(bytes))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

fn bounds(worlds: &[Vec<Matrix4<f32>>]) -> [[f32; 3]; 2] {
    let mut bounds = None;
    for matrix in worlds.iter().flatten() {
        let at = [matrix.m14, matrix.m24, matrix.m34];
        if at.iter().all(|x| x.is_finite()) {
            widen(&mut bounds, at);
        }
    }
    bounds.unwrap_or_default()
}

/// Makes the least and the largest corner of a box such that it has a place in it.
pub fn widen(bounds: &mut Option<[[f32; 3]; 2]>, at: [f32; 3]) {
    let [low, high] = bounds.get_or_insert([at, at]);
    for axis in 0..3 {
        (low[axis], high[axis]) = (low[axis].min(at[axis]), high[axis].max(at[axis]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    /// What the page does, in Rust.
    fn unpack(packed: &Packed, frames: usize) -> Vec<Vec<[f32; 12]>> {
        let mut bytes = Vec::new();
        GzDecoder::new(&STANDARD.decode(&packed.data).unwrap()[..])
            .read_to_end(&mut bytes)
            .unwrap();
        let mut bytes = bytes.into_iter();
        fn number(bytes: &mut impl Iterator<Item = u8>) -> i64 {
            let (mut value, mut shift) = (0_u64, 0);
            loop {
                let byte = bytes.next().unwrap();
                value |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return (value >> 1) as i64 ^ -((value & 1) as i64);
                }
            }
        }
        let mut result = vec![vec![[0.0; 12]; packed.linear.len()]; frames];
        for (node, linear) in packed.linear.iter().enumerate() {
            for i in 0..12 {
                let unit = if i < 9 { *linear } else { packed.position };
                let (mut last, mut speed) = (number(&mut bytes), 0);
                let varies = bytes.next().unwrap() == 1;
                for (number_of_frame, frame) in result.iter_mut().enumerate() {
                    if varies && number_of_frame > 0 {
                        speed += number(&mut bytes);
                        last += speed;
                    }
                    frame[node][i] = last as f32 * unit;
                }
            }
        }
        assert_eq!(bytes.next(), None);
        result
    }

    #[test]
    fn what_is_packed_comes_back_within_half_a_step() {
        let matrix = |frame: usize, node: usize| {
            Matrix4::from_fn(|row, column| match row {
                3 => f32::from(column == 3),
                _ => {
                    (frame as f32 * 0.3 + node as f32 * 1.7 + (row * 4 + column) as f32).sin()
                        * (1 + node * 100) as f32
                }
            })
        };
        let mut worlds: Vec<Vec<_>> =
            (0..20).map(|frame| (0..3).map(|node| matrix(frame, node)).collect()).collect();
        worlds.iter_mut().for_each(|frame| frame.push(Matrix4::identity()));
        let packed = pack(&worlds);
        let back = unpack(&packed, worlds.len());
        for (frame, expected) in worlds.iter().enumerate() {
            for (node, expected) in expected.iter().enumerate() {
                for (i, actual) in back[frame][node].iter().enumerate() {
                    let error = (actual - expected[(i % 3, i / 3)]).abs();
                    let unit = if i < 9 { packed.linear[node] } else { packed.position };
                    assert!(
                        error <= 0.51 * unit + 1e-6 * expected.amax(),
                        "{frame} {node} {i}: {error} of {unit}"
                    );
                }
            }
        }
    }

    #[test]
    fn numbers_that_are_not_finite_do_no_harm() {
        let mut bad = Matrix4::identity();
        (bad.m11, bad.m14, bad.m34) = (f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
        let packed = pack(&[vec![bad, Matrix4::new_translation(&nalgebra::Vector3::repeat(2.0))]]);
        assert!(packed.position.is_finite() && packed.linear.iter().all(|x| x.is_finite()));
        assert_eq!(packed.bounds, [[2.0; 3]; 2]);
        assert_eq!(unpack(&packed, 1)[0][0][0], 0.0);
    }

    #[test]
    fn nothing_packs_to_nothing() {
        assert_eq!(unpack(&pack(&[]), 0).len(), 0);
        assert!(unpack(&pack(&[vec![]]), 1)[0].is_empty());
    }
}
