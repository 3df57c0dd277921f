"""Rewrites that are data: what to look for, what to put in its place, proved before it is used."""

from asmevo.edits.templates.model import Template, TemplateFile, load_templates
from asmevo.edits.templates.rule import Templates
from asmevo.edits.templates.samples import Sample, results, samples

__all__ = [
    "Sample",
    "Template",
    "TemplateFile",
    "Templates",
    "load_templates",
    "results",
    "samples",
]
