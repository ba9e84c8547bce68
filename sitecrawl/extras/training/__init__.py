"""Training of the link model: labelled pages, labels without handwork, the fit, scores, ablation.
Prediction needs none of it."""
