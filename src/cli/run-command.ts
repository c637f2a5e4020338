/** The table of commands. */
