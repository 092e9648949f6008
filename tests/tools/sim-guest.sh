#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the modelled machine: sim-guest CPUS measures each node and both evenly; prints "KERNEL PLACEMENT VALUE".

for placement in bind:0 bind:1 interleave:0,1; do
	sim-run sim-stream -n 2 -t "$1" -p $placement | sed "s/ / $placement /"
	sim-run sim-chase -p $placement | sed "s/^/chase $placement /"
done
