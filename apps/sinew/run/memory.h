/** @file
 *  Where the memory of a process with many robots lies. */
#ifndef SINEW_APP_MEMORY_H
#define SINEW_APP_MEMORY_H

/** Before the first robot is loaded: large blocks come from the kernel, with pages that take no
 *  memory until they are written. The C library would take them from its heap, and clear them, once
 *  it has seen one freed. */
void memory_keep_large_blocks_apart(void);

/** Before the first cycle: put the heap into pages of 2 MB, where the kernel can (Linux 6.1). A
 *  cycle of one robot touches some 240 small pages; with many robots their addresses do not fit
 *  into the processor's tables. The heap is dense, so this takes no memory. */
void memory_use_large_pages(void);

#endif
