/** @file
 *  Macros for every public header. */
#ifndef SINEW_API_H
#define SINEW_API_H

/** On every function that the library exports. */
#define SN_API __attribute__((visibility("default")))

/** After the declaration of a function that is safe on the real-time path: it does not allocate,
 *  lock, print, call the operating system or loop without a bound. Clang 20 and later check it. */
#if defined(__has_attribute) && !defined(__cplusplus)
#if __has_attribute(nonblocking)
#define SN_RT __attribute__((nonblocking))
#endif
#endif
#ifndef SN_RT
#define SN_RT
#endif

/** Checks printf-like arguments: format at position f, first argument at position a. */
#define SN_PRINTF(f, a) __attribute__((format(printf, f, a)))

#ifdef __cplusplus
#define SN_BEGIN_DECLS extern "C" {
#define SN_END_DECLS }
#else
#define SN_BEGIN_DECLS
#define SN_END_DECLS
#endif

#endif
