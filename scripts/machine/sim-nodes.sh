#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints what the model of tools/numasim is to know of a scenario's nodes, from the arguments that QEMU makes the firmware's tables (SRAT
# and HMAT) of: "node=START:END:READ_MBPS:WRITE_MBPS:READ_NS:WRITE_NS" for each node, joined by commas, or why it cannot. Where more than
# one node has CPUs, each is a socket: then ":SOCKET" follows, and behind the nodes come "cpus=", "remote=" and "link="
# (tools/numasim/README.md).
# usage: sim-nodes.sh SCENARIO.conf
# The unit of the tables is taken for what the ACPI specification calls it: 10^6 bytes per second. QEMU writes it as M.
# A table has 16 bits for each bandwidth, in a unit that all of them share: the largest power of two that divides them.
set -eu
. "$(dirname "$0")/../lib/lib.sh"
. "$TOP/scripts/lib/scenario.sh"

if ! scenario_value "$1" qemu | awk -v name="${1##*/}" '
function fail(reason) {
	printf "%s: %s\n", name, reason > "/dev/stderr"
	failed = 1
	exit 1
}

function tell(option) {
	told = told (told ? "," : "") option
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

# Keeps the unit and the largest of the bandwidths of a table.
function keep_bandwidth(table, mbps) {
	if (mbps < 1 || mbps != int(mbps))
		fail("a bandwidth of " key["bandwidth"] " is no whole number of M")
	if (!(table in unit))
		unit[table] = 2 ^ 40
	while (mbps % unit[table])
		unit[table] /= 2
	if (mbps > largest[table])
		largest[table] = mbps
}

function check_tables(table) {
	for (table in unit) {
		if (largest[table] / unit[table] >= 65535)
			fail("the table of " table "s cannot hold " largest[table] "M in units of " unit[table] "M, which others need: " \
				"it has 16 bits for each")
	}
}

function read_speed(pair, kind, value) {
	kind = key["data-type"]
	value = kind ~ /bandwidth$/ ? mib(key["bandwidth"]) : key["latency"]
	if (kind ~ /bandwidth$/)
		keep_bandwidth(key["hierarchy"] " " kind, value)
	if (key["hierarchy"] != "memory")
		return
	pair = key["initiator"] " " key["target"]
	if (kind ~ /^(access|read)-bandwidth$/)
		read_mbps[pair] = value
	if (kind ~ /^(access|write)-bandwidth$/)
		write_mbps[pair] = value
	if (kind ~ /^(access|read)-latency$/)
		read_ns[pair] = value
	if (kind ~ /^(access|write)-latency$/)
		write_ns[pair] = value
}

function read_node(node, range) {
	node = key["nodeid"]
	memory[node] = key["memdev"]
	nodes++
	if ("initiator" in key)
		owner[node] = key["initiator"]
	if (!("cpus" in key))
		return
	owner[node] = node
	split(key["cpus"], range, "-")
	first[node] = range[1]
	last[node] = key["cpus"] ~ /-/ ? range[2] : range[1]
	with_cpu += last[node] - first[node] + 1
}

# Sockets get their numbers in the order of their nodes.
function find_sockets(i) {
	if (!with_cpu && nodes == 1) {
		first[0] = owner[0] = 0
		with_cpu = cpus
	}
	if (with_cpu != cpus)
		fail("which CPUs belong to which node has to be said, in one range a node")
	for (i = 0; i < nodes; i++) {
		if (i in first)
			socket[i] = sockets++
	}
	for (i = 0; i < nodes; i++) {
		if (!(i in owner) || !(owner[i] in socket))
			fail("node " i " has no initiator with CPUs")
	}
}

function check_pair(from, node, pair) {
	pair = from " " node
	if (!read_mbps[pair] || !write_mbps[pair] || !read_ns[pair] || !write_ns[pair])
		fail("the tables lack a bandwidth or a latency of node " node (from == owner[node] ? "" : " for the CPUs of node " from))
}

# Widens the link to a node by its bandwidth for these CPUs, if that is not its own.
function find_link(mbps, link, from, node, value) {
	value = mbps[from " " node]
	if (value < mbps[owner[node] " " node] && value > link[from " " owner[node]])
		link[from " " owner[node]] = value
}

# Through a link a node has its own bandwidth, or the smaller one of the link.
function check_link(mbps, link, from, node, own, limit) {
	own = mbps[owner[node] " " node]
	limit = link[from " " owner[node]]
	if (mbps[from " " node] != (limit && limit < own ? limit : own))
		fail("node " node " has " own " MB/s, and for the CPUs of node " from " " mbps[from " " node] \
			", which " (limit ? "their link of " limit : "a link without a limit") " does not explain")
}

# What CPUs of a socket see of the nodes of others
function print_remote(from, i, pair) {
	tell(sprintf("cpus=%d-%d:%d", first[from], last[from], socket[from]))
	for (i = 0; i < nodes; i++) {
		if (owner[i] == from)
			continue
		check_pair(from, i)
		tell(sprintf("remote=%d:%d:%d:%d", socket[from], i, read_ns[from " " i], write_ns[from " " i]))
		find_link(read_mbps, read_link, from, i)
		find_link(write_mbps, write_link, from, i)
	}
	for (i = 0; i < nodes; i++) {
		check_link(read_mbps, read_link, from, i)
		check_link(write_mbps, write_link, from, i)
	}
	for (i = 0; i < nodes; i++) {
		pair = from " " i
		if (!read_link[pair] != !write_link[pair])
			fail("the link from node " from " to node " i " slows reads or writes alone")
		if (read_link[pair])
			tell(sprintf("link=%d:%d:%d:%d", socket[from], socket[i], read_link[pair], write_link[pair]))
	}
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
		else if ($i == "-smp")
			cpus = $(i + 1) + 0
		else if ($i == "-numa" && "node" in key)
			read_node()
		else if ($i == "-numa" && "hmat-lb" in key)
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
	check_tables()
	find_sockets()
	for (i = 0; i < nodes; i++) {
		check_pair(owner[i], i)
		start = physical(offset + 0)
		offset += size[memory[i]]
		end = physical(offset - 1) + 1
		if (start < 4096 && end > 4096)
			fail("node " i " is on both sides of the hole below 4 GiB")
		pair = owner[i] " " i
		tell(sprintf("node=%s:%s:%d:%d:%d:%d%s", bytes(start), bytes(end), read_mbps[pair], write_mbps[pair],
			read_ns[pair], write_ns[pair], sockets > 1 ? ":" socket[owner[i]] : ""))
	}
	for (i = 0; i < nodes && sockets > 1; i++) {
		if (i in socket)
			print_remote(i)
	}
	print told
}'; then
	exit 1
fi
