#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints what the model of tools/numasim is to know of a scenario's nodes, from the arguments that QEMU makes the firmware's tables (SRAT and
# HMAT) of: "node=START:END:READ_MBPS:WRITE_MBPS:READ_NS:WRITE_NS" for each node, joined by commas, or why it cannot.
# usage: sim-nodes.sh SCENARIO.conf
# The unit of the tables is taken for what the ACPI specification calls it: 10^6 bytes per second. QEMU writes it as M.
set -eu

if ! sed -n 's/^qemu=//p' "$1" | awk -v name="${1##*/}" '
function fail(reason) {
	printf "%s: %s\n", name, reason > "/dev/stderr"
	failed = 1
	exit 1
}

# In MiB
function mib(text, number) {
	number = text + 0
	if (text ~ /^[0-9.]+G$/)
		return number * 1024
	if (text ~ /^[0-9.]+M$/)
		return number
	fail("\"" text "\" is no size in M or G")
}

# Splits "a=b,c=d" into key[].
function read_keys(text, parts, pair, n, i) {
	split("", key)
	n = split(text, parts, ",")
	for (i = 1; i <= n; i++) {
		pair = index(parts[i], "=")
		if (pair)
			key[substr(parts[i], 1, pair - 1)] = substr(parts[i], pair + 1)
		else
			key[parts[i]] = ""
	}
}

function read_speed(node, kind, value) {
	if (key["initiator"] != 0)
		fail("only one initiator is modelled, node 0")
	if (key["hierarchy"] != "memory")
		return
	node = key["target"]
	kind = key["data-type"]
	value = kind ~ /bandwidth$/ ? mib(key["bandwidth"]) : key["latency"]
	if (kind ~ /^(access|read)-bandwidth$/)
		read_mbps[node] = value
	if (kind ~ /^(access|write)-bandwidth$/)
		write_mbps[node] = value
	if (kind ~ /^(access|read)-latency$/)
		read_ns[node] = value
	if (kind ~ /^(access|write)-latency$/)
		write_ns[node] = value
}

# Where a q35 machine has a byte of RAM, in MiB: what does not fit below "low" is at 4 GiB and behind.
function physical(offset) {
	return offset < low ? offset : offset - low + 4096
}

# An address for the plugin
function bytes(address) {
	return address ? sprintf("%x00000", address) : "0"
}

{
	for (i = 1; i < NF; i++) {
		read_keys($(i + 1))
		if ($i == "-machine" && !("q35" in key))
			fail("only q35 machines are modelled")
		else if ($i == "-object" && "memory-backend-ram" in key)
			size[key["id"]] = mib(key["size"])
		else if ($i == "-numa" && "node" in key) {
			memory[key["nodeid"]] = key["memdev"]
			nodes++
		} else if ($i == "-numa" && "hmat-lb" in key)
			read_speed()
		else if ($i == "-device" && $(i + 1) ~ /dimm|mem|cxl/)
			fail("memory that is a device is not modelled")
	}
}

END {
	if (failed)
		exit 1
	for (i = 0; i < nodes; i++) {
		if (!(memory[i] in size))
			fail("node " i " has no memory")
		total += size[memory[i]]
	}
	low = total >= 2816 ? 2048 : 2816
	for (i = 0; i < nodes; i++) {
		if (!read_mbps[i] || !write_mbps[i] || !read_ns[i] || !write_ns[i])
			fail("the tables lack a bandwidth or a latency of node " i)
		start = physical(offset + 0)
		offset += size[memory[i]]
		end = physical(offset - 1) + 1
		if (start < 4096 && end > 4096)
			fail("node " i " is on both sides of the hole below 4 GiB")
		printf "%snode=%s:%s:%d:%d:%d:%d", i ? "," : "", bytes(start), bytes(end),
			read_mbps[i], write_mbps[i], read_ns[i], write_ns[i]
	}
	printf "\n"
}'; then
	exit 1
fi
