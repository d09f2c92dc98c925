"""Who labels which response: as in all labelling."""

from commonground.labelling.assigning import LABELLING

ASSIGNER = LABELLING
