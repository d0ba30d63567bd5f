"""Shell commands as process sessions of their own: run, watched, ended as a whole.

A session, not a process group: `timeout 60 make` makes a group of its own and would outlive the
end of its parent's.
"""
