// SPDX-License-Identifier: GPL-2.0
//! A buffer with weights of its own, in Rust; builds with rustc alone
use std::os::raw::{c_int, c_long, c_void};

const MBIND2: c_long = 602; // x86-64, arm64 and most others; mempolicy2.h has all
const MBIND: c_long = if cfg!(target_arch = "x86_64") { 237 } else { 235 }; // arm64, riscv64

#[repr(C)] #[derive(Default)]
struct Param { mode: u16, mode_flags: u16, home_node: i32, pol_maxnodes: u16, resv: [u8; 6],
    pol_nodes: u64, il_weights: u64 }

extern "C" {
    fn mmap(at: *mut c_void, len: usize, prot: c_int, flags: c_int, fd: c_int, offset: i64)
        -> *mut c_void;
    fn syscall(number: c_long, ...) -> c_long;
}

/// Weights of its own here, the global ones on mainline since 6.9, else even
fn spread(buffer: *mut c_void, len: usize, nodes: u64, weights: &[u8; 64]) -> &'static str {
    let param = Param { mode: 6, pol_maxnodes: 64, pol_nodes: &nodes as *const u64 as u64,
        il_weights: weights.as_ptr() as u64, ..Param::default() };
    let size = std::mem::size_of::<Param>();
    let mbind = |mode: usize| unsafe { syscall(MBIND, buffer, len, mode, &nodes, 65usize, 0usize) };
    if unsafe { syscall(MBIND2, buffer, len, &param, size, 0usize) } == 0 { "weights of its own" }
    else if mbind(6) == 0 { "global weights" }
    else if mbind(3) == 0 { "even interleaving" } else { "the default policy" }
}

fn main() -> std::io::Result<()> {
    let (len, mut weights) = (16usize << 20, [0u8; 64]);
    weights[..2].copy_from_slice(&[3, 1]);
    // Readable and writable; private and anonymous
    let buffer = unsafe { mmap(std::ptr::null_mut(), len, 3, 0x22, -1, 0) };
    if buffer as isize == -1 { return Err(std::io::Error::last_os_error()); }
    let how = spread(buffer, len, 0x3, &weights);
    unsafe { std::slice::from_raw_parts_mut(buffer as *mut u8, len) }.fill(1);
    println!("{buffer:p} has {how}");
    Ok(())
}
