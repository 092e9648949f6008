/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mm_automigrate

#if !defined(_TRACE_MM_AUTOMIGRATE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_MM_AUTOMIGRATE_H

#include <linux/sched.h>
#include <linux/tracepoint.h>

TRACE_DEFINE_ENUM(AUTOMIGRATE_START);
TRACE_DEFINE_ENUM(AUTOMIGRATE_GO_ON);
TRACE_DEFINE_ENUM(AUTOMIGRATE_DONE);
TRACE_DEFINE_ENUM(AUTOMIGRATE_POLICY);
TRACE_DEFINE_ENUM(AUTOMIGRATE_CPUSET);
TRACE_DEFINE_ENUM(AUTOMIGRATE_NO_MEMORY);
TRACE_DEFINE_ENUM(AUTOMIGRATE_PREFERRED);
TRACE_DEFINE_ENUM(AUTOMIGRATE_INTERVAL);
TRACE_DEFINE_ENUM(AUTOMIGRATE_THREADS);

TRACE_EVENT(automigrate_task_moves,
	    TP_PROTO(struct task_struct *p, int from, int to),
	    TP_ARGS(p, from, to),
	    TP_STRUCT__entry(__field(pid_t, pid)
			     __field(int, from)
			     __field(int, to)),
	    TP_fast_assign(__entry->pid = p->pid;
			   __entry->from = from;
			   __entry->to = to;),
	    TP_printk("pid=%d from=%d to=%d", __entry->pid, __entry->from,
		      __entry->to)
);

TRACE_EVENT(automigrate_verdict,
	    TP_PROTO(struct task_struct *p, int nid, int verdict),
	    TP_ARGS(p, nid, verdict),
	    TP_STRUCT__entry(__field(pid_t, pid)
			     __field(int, nid)
			     __field(int, verdict)),
	    TP_fast_assign(__entry->pid = p->pid;
			   __entry->nid = nid;
			   __entry->verdict = verdict;),
	    TP_printk("pid=%d nid=%d verdict=%s", __entry->pid, __entry->nid,
		      __print_symbolic(__entry->verdict,
				       { AUTOMIGRATE_START, "start" },
				       { AUTOMIGRATE_GO_ON, "go-on" },
				       { AUTOMIGRATE_DONE, "done" },
				       { AUTOMIGRATE_POLICY, "policy" },
				       { AUTOMIGRATE_CPUSET, "cpuset" },
				       { AUTOMIGRATE_NO_MEMORY, "no-memory" },
				       { AUTOMIGRATE_PREFERRED, "preferred" },
				       { AUTOMIGRATE_INTERVAL, "interval" },
				       { AUTOMIGRATE_THREADS, "threads" }))
);

TRACE_EVENT(automigrate_follow,
	    TP_PROTO(struct task_struct *p, int nid, unsigned int marked,
		     unsigned int misplaced, unsigned int moved),
	    TP_ARGS(p, nid, marked, misplaced, moved),
	    TP_STRUCT__entry(__field(pid_t, pid)
			     __field(int, nid)
			     __field(unsigned int, marked)
			     __field(unsigned int, misplaced)
			     __field(unsigned int, moved)),
	    TP_fast_assign(__entry->pid = p->pid;
			   __entry->nid = nid;
			   __entry->marked = marked;
			   __entry->misplaced = misplaced;
			   __entry->moved = moved;),
	    TP_printk("pid=%d nid=%d marked=%u misplaced=%u moved=%u",
		      __entry->pid, __entry->nid, __entry->marked,
		      __entry->misplaced, __entry->moved)
);

#endif /* _TRACE_MM_AUTOMIGRATE_H */

#include <trace/define_trace.h>
