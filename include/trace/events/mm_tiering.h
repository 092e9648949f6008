/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mm_tiering

#if !defined(_TRACE_MM_TIERING_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_MM_TIERING_H

#include <linux/tracepoint.h>

TRACE_DEFINE_ENUM(PROMOTION_COLD);
TRACE_DEFINE_ENUM(PROMOTION_RATE_LIMITED);
TRACE_DEFINE_ENUM(PROMOTION_QUEUED);
TRACE_DEFINE_ENUM(PROMOTION_HOT);
TRACE_DEFINE_ENUM(PROMOTION_FREE_SPACE);

TRACE_EVENT(promote_decision,
	    TP_PROTO(unsigned long pfn, int from, int to, unsigned int pages,
		     unsigned int latency, unsigned int threshold, int verdict),
	    TP_ARGS(pfn, from, to, pages, latency, threshold, verdict),
	    TP_STRUCT__entry(__field(unsigned long, pfn)
			     __field(int, from)
			     __field(int, to)
			     __field(unsigned int, pages)
			     __field(unsigned int, latency)
			     __field(unsigned int, threshold)
			     __field(int, verdict)),
	    TP_fast_assign(__entry->pfn = pfn;
			   __entry->from = from;
			   __entry->to = to;
			   __entry->pages = pages;
			   __entry->latency = latency;
			   __entry->threshold = threshold;
			   __entry->verdict = verdict;),
	    TP_printk("pfn=0x%lx from=%d to=%d pages=%u latency_ms=%u threshold_ms=%u verdict=%s",
		      __entry->pfn, __entry->from, __entry->to, __entry->pages,
		      __entry->latency, __entry->threshold,
		      __print_symbolic(__entry->verdict,
				       { PROMOTION_COLD, "cold" },
				       { PROMOTION_RATE_LIMITED, "rate-limited" },
				       { PROMOTION_QUEUED, "queued" },
				       { PROMOTION_HOT, "hot" },
				       { PROMOTION_FREE_SPACE, "free-space" }))
);

TRACE_EVENT(threshold,
	    TP_PROTO(int nid, unsigned int threshold, bool found, u32 demoted),
	    TP_ARGS(nid, threshold, found, demoted),
	    TP_STRUCT__entry(__field(int, nid)
			     __field(unsigned int, threshold)
			     __field(bool, found)
			     __field(u32, demoted)),
	    TP_fast_assign(__entry->nid = nid;
			   __entry->threshold = threshold;
			   __entry->found = found;
			   __entry->demoted = demoted;),
	    TP_printk("nid=%d threshold_ms=%u found=%d demoted=%u", __entry->nid,
		      __entry->threshold, __entry->found, __entry->demoted)
);

#endif /* _TRACE_MM_TIERING_H */

#include <trace/define_trace.h>
