/** @file
 *  How far something is, on standard error. */
#ifndef SINEW_APP_PROGRESS_H
#define SINEW_APP_PROGRESS_H

/** Draw `what [====     ]  40 %` over the line. @param part  0 .. 1 */
void progress_show(const char *what, double part);

/** Clear the line. */
void progress_end(void);

#endif
