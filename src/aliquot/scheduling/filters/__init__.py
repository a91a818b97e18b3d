"""kube-scheduler's filters, each under its plugin's name, and what they share."""
