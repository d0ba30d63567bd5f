"""Guards: whatever a weak model or server does, the turn goes on or ends with the truth.

One policy a file; each is a layer that can be read, tested and switched off alone
(`guards: {disabled: [NAME]}`).
"""
