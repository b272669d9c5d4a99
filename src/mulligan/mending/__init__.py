"""The corrected call: what the model most likely meant, worked out whole from the call and the tool's schema, or not at all.

Nothing here runs a tool. What comes out fits the schema, and is a proposal that the model reads; each mend says whether it
is sure (it loses nothing) or likely. All of it is imported by what first needs it: the pipeline's plugins import a part.
"""
